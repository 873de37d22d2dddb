# The gateway alone: runtime packages and sources, no build tools, no sandbox, no chain.

FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/common/package.json packages/common/
# Without install scripts: they prepare for the embedded database and bring a Node, and neither is needed here.
# With optional packages: one of them is the picture library of this platform.
RUN npm ci --omit=dev --workspace packages/common --include-workspace-root --ignore-scripts --no-audit --no-fund

FROM node:24-slim
WORKDIR /app
# Reachable from outside the container; state goes to the one place that may be written, so that the root
# file system can be read-only.
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
RUN mkdir /data && chown node:node /data
COPY --from=packages /app/node_modules node_modules
COPY package.json package-lock.json LICENSE ./
COPY packages/common packages/common
COPY schema schema
COPY src src
USER node
VOLUME /data
EXPOSE 4000
# The gateway drains on this signal before it ends.
STOPSIGNAL SIGTERM
# The slim image has no curl. Ready means: migrated, and connected to its store.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 4000}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/main.ts"]

# Two images: a plain build makes the gateway alone; --target gateway-with-sandbox adds the sandbox. Both contain
# runtime packages and sources, and no build tools.

# Pinned by digest, so that every build has the same base; Dependabot proposes updates. One index for amd64 and arm64.
FROM node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS base
WORKDIR /app

FROM base AS packages
COPY package.json package-lock.json ./
COPY packages/common/package.json packages/common/
# Skip install scripts, which prepare the embedded database and install a Node; neither is needed here.
# Keep optional packages: one of them is the picture library of this platform.
RUN npm ci --omit=dev --workspace packages/common --include-workspace-root --ignore-scripts --no-audit --no-fund

FROM packages AS inventory
# Otherwise npm would report the development packages as missing.
RUN npm pkg delete devDependencies && npm sbom --sbom-format cyclonedx --sbom-type application > sbom.cdx.json

# The software bill of materials (SBOM) of the gateway's image: docker build --target sbom --output .
FROM scratch AS sbom
COPY --from=inventory /app/sbom.cdx.json /

FROM packages AS sandbox-packages
COPY packages/sandbox/package.json packages/sandbox/
RUN npm ci --omit=dev --workspace packages/common --workspace packages/sandbox --include-workspace-root --ignore-scripts --no-audit --no-fund
COPY packages/common packages/common
COPY scripts/pack-cluster.ts scripts/
# Creates the embedded database here, because at the first start it would take 800 MB of memory for some seconds.
RUN node scripts/pack-cluster.ts

FROM base AS runtime
# Listen on addresses outside the container. State goes to the one writable directory, so that the root file system can
# be read-only.
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data IPFS_CACHE_DIR=/data/ipfs
# Save memory at the cost of a little processor time: a smaller young generation, and a malloc that returns free memory
# at the top of its arenas. Unless it is set, glibc raises the trim threshold with each large buffer.
# docs/prepared-reads.md has the figures.
ENV NODE_OPTIONS=--max-semi-space-size=16 MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072
RUN mkdir /data && chown node:node /data
COPY --from=packages /app/node_modules node_modules
COPY package.json package-lock.json LICENSE ./
COPY packages/common packages/common
COPY schema schema
COPY src src
USER node
VOLUME /data
EXPOSE 4000
# On this signal the gateway drains before it exits.
STOPSIGNAL SIGTERM
# Uses Node, because the slim image has no curl. Ready means migrated and connected to the store.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 4000}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/main.ts"]

# For trials and development. The chain's program is on npm for amd64 only.
FROM runtime AS gateway-with-sandbox
ENV SANDBOX_HOST=0.0.0.0
COPY --from=sandbox-packages /app/node_modules node_modules
COPY packages/sandbox packages/sandbox
EXPOSE 4001

# Last, so that a build without a target makes this image.
FROM runtime AS gateway

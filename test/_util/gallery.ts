import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { freePorts } from '@srr-gateway/common/testing/free-ports';
import { type Browser, chromium } from 'playwright-core';
import { cutProxy } from './cut-proxy.ts';
import { gatewayProcess, project } from './gateway-process.ts';
import { untilSeeded } from './seeded-world.ts';

/** The gallery of `npm run gallery` in Chromium, over a connection to a gateway with a seeded sandbox. */
export async function startGallery() {
  await using stack = new AsyncDisposableStack();
  const [wirePort, galleryPort] = await freePorts(2);
  const gatewayUrl = `http://127.0.0.1:${wirePort}`;
  const gateway = await gatewayProcess({ env: { PUBLIC_URL: gatewayUrl, SANDBOX_FIXTURES: 'on' } });
  stack.defer(() => gateway.remove());
  await gateway.start();
  await untilSeeded({ subgraphUrl: `${gateway.sandboxUrl}/subgraph` });
  const connection = stack.use(await cutProxy(wirePort!, Number(new URL(gateway.url).port), 8_000_000));
  const url = await serve(stack, String(galleryPort), `${gatewayUrl}/graphql`);
  const browser = await launch();
  stack.defer(() => browser.close());
  return { url, gateway, connection, browser, stack: stack.move() };
}

async function serve(stack: AsyncDisposableStack, port: string, gateway: string): Promise<string> {
  const child = spawn(process.execPath, ['examples/gallery/serve.ts'], {
    cwd: project,
    env: { ...process.env, GALLERY_PORT: port, GATEWAY_URL: gateway },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stack.defer(() => void child.kill());
  for await (const text of child.stdout.setEncoding('utf8')) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+(?=\/\n)/.exec(String(text)) ?? [];
    if (url) return url;
  }
  throw new Error('The gallery was not served.');
}

const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

/** The script of axe, which runs in the page. */
export const axe = join(project, 'examples/gallery/node_modules/axe-core/axe.min.js');

import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@srr-gateway/common/testing/free-ports';
import { control } from '@srr-gateway/sandbox/testing/control';
import { mintsOf } from '@srr-gateway/sandbox/testing/mints';
import { type SandboxProcess, sandboxProcess } from '@srr-gateway/sandbox/testing/sandbox-process';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lockedPackages, runtimePackages } from '../../scripts/runtime-packages.ts';
import { entry } from '../_util/entries.ts';
import { project } from '../_util/gateway-process.ts';
import { GraphQLCaller } from '../_util/graphql-caller.ts';
import { addedTo, buildImages, type Image } from '../_util/image/build.ts';
import { makeContext } from '../_util/image/build-context.ts';
import { readCompose, runOptions, type Service } from '../_util/image/compose.ts';
import { type Container, runContainer, runOnce, uidsOf } from '../_util/image/container.ts';
import { whyNotHere } from '../_util/image/namespaces.ts';
import { lendRegistry } from '../_util/image/registry.ts';
import { finalOutcome, issue } from '../_util/issuances.ts';
import { type PostgresServer, postgresServer } from '../_util/postgres-server.ts';

// No container engine is needed: the steps of the Dockerfile are taken in an empty root file system, and the
// program runs there as an engine would run it.
const why = whyNotHere();
if (why) console.warn(`The image is not tested: ${why}.`);

/** In no file of an image, wherever it lay when the image was built. */
const secret = randomBytes(16).toString('hex');
const token = 'a-token-of-the-image';
const webhookKey = randomBytes(16).toString('hex');

describe.skipIf(why)('the images of the Dockerfile', () => {
  let directory: string;
  let image: Image;
  let withSandbox: Image;
  let inventory: Image;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'image-'));
    const context = await makeContext(join(directory, 'context'), {
      '.env': `COMMERCE_API_KEY=${secret}\n`,
      '.npmrc': `//registry.example/:_authToken=${secret}\n`,
      'issuers.json': JSON.stringify([{ apiKey: secret }]),
      'data/secrets.key': secret,
      'src/planted.test.ts': `// ${secret}\n`,
    });
    const npmrc = join(directory, 'npmrc');
    const images = await buildImages(join(directory, 'build'), context, await lendRegistry(npmrc, secret));
    image = images.gateway;
    withSandbox = images.byTarget.get('gateway-with-sandbox') as Image;
    inventory = images.byTarget.get('sbom') as Image;
  });
  afterAll(async () => {
    if (directory) await rm(directory, { recursive: true, force: true });
  });

  it('adds to its base the program, its runtime packages and an empty place for state, and nothing else', async () => {
    expect(await addedTo(image)).toEqual(['app', 'data']);
    expect(readdirSync(join(image.root, 'app')).toSorted()).toEqual(
      [
        'LICENSE',
        'node_modules',
        'package-lock.json',
        'package.json',
        'packages',
        'schema',
        'src',
      ].toSorted(),
    );
    expect(readdirSync(join(image.root, 'data'))).toEqual([]);
    const size = (path: string) =>
      Number(execFileSync('du', ['-sm', join(image.root, path)], { encoding: 'utf8' }).split('\t')[0]);
    console.log(
      `the image's root has ${size('.')} MB: ${size('app/node_modules')} MB of packages, ` +
        `${size('app/src')} MB of sources, and what it has of its base`,
    );
  });

  it('has every package that the program runs with, and none of those for development and the sandbox', () => {
    const there = (path: string) => existsSync(join(image.root, 'app', path));
    const needed = runtimePackages();
    const extra = Object.keys(lockedPackages()).filter((path) => path !== '' && !needed.has(path));
    expect(extra).toContain('node_modules/@foundry-rs/anvil-linux-amd64');
    expect(extra.filter(there)).toEqual([]);
    expect([...needed].filter((path) => !there(path))).toEqual([]);
  });

  it('has a CycloneDX inventory of exactly its packages', () => {
    expect(readdirSync(inventory.root)).toEqual(['sbom.cdx.json']);
    const bom = JSON.parse(readFileSync(join(inventory.root, 'sbom.cdx.json'), 'utf8'));
    expect(bom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { type: 'application' } } });
    const listed = (bom.components as { purl: string }[]).map(({ purl }) => decodeURIComponent(purl));
    const locked = lockedPackages();
    const installed = [...runtimePackages()]
      .filter((path) => path.includes('node_modules/'))
      .map((path) => {
        const { link, resolved = '', version } = locked[path] ?? {};
        const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
        return `pkg:npm/${name}@${link ? locked[resolved]?.version : version}`;
      });
    expect(listed.toSorted()).toEqual([...new Set(installed)].toSorted());
  });

  it('caches in its place for state, whatever database it has', () => {
    expect(image.env.IPFS_CACHE_DIR).toMatch(/^\/data\//);
  });

  it('has no sandbox and no chain', () => {
    expect(globSync(['**/anvil*', 'app/packages/sandbox'], { cwd: image.root })).toEqual([]);
  });

  it('has no test and no secret, with the sandbox or without', () => {
    const unwanted = [
      'app/{src,packages}/**/*.test.ts',
      'app/packages/{common,sandbox}/{test,testing,scripts}',
      'app/test',
      '**/.npmrc',
      '**/.env',
    ];
    for (const { root } of [image, withSandbox]) {
      expect(globSync(unwanted, { cwd: root })).toEqual([]);
      // grep tells by 1 that it found nothing.
      expect(() => execFileSync('grep', ['-rlF', '-e', secret, root])).toThrow(
        expect.objectContaining({ status: 1 }),
      );
    }
  });

  it('starts with the sandbox as it is, read-only, and issues a record there', async () => {
    const [port, sandboxPort, rpcPort] = await freePorts(3);
    const container = await runContainer(withSandbox, {
      env: {
        PORT: `${port}`,
        SANDBOX_PORT: `${sandboxPort}`,
        SANDBOX_RPC_PORT: `${rpcPort}`,
        // The image's own would let other machines in.
        HOST: '127.0.0.1',
        SANDBOX_HOST: '127.0.0.1',
        SANDBOX_FIXTURES: 'off',
      },
      volumes: join(directory, 'volumes-with-sandbox'),
    });
    try {
      const health = () => container.exec(withSandbox.healthcheck).then(({ code }) => code);
      await expect.poll(health, { timeout: 60_000, interval: 500 }).toBe(0);
      const answer = await fetch(`http://127.0.0.1:${sandboxPort}/sandbox`);
      const info = (await answer.json()) as SandboxProcess['info'];
      const caller = new GraphQLCaller(`http://127.0.0.1:${port}`, { authorization: 'Bearer demo-token' });
      const upload = await caller.upload('one.png', 'NON_ATTACHMENT_FILE', 'a picture');
      const id = await issue(caller, { requestId: 'one', entries: [entry(info, 'one', { upload })] });
      expect((await finalOutcome(caller, id)).entries).toMatchObject([{ status: 'ISSUED' }]);
      expect(await container.stop(), container.output()).toMatchObject({ code: 0 });
    } finally {
      await container.kill();
    }
  });

  it('run as compose.yaml has them: secrets are made, and the gateway issues through the sandbox', async () => {
    const postgres = await postgresServer();
    const [port, sandboxPort, rpcPort] = await freePorts(3);
    const { services } = readCompose();
    const state = join(directory, 'compose');
    // There the two share a network of their own with fixed ports; here it is this machine's.
    const here = (text: string) =>
      text.replaceAll(':4000', `:${port}`).replaceAll(':4001', `:${sandboxPort}`);
    const ports = { PORT: `${port}`, SANDBOX_PORT: `${sandboxPort}`, SANDBOX_RPC_PORT: `${rpcPort}` };
    const local = { ...ports, HOST: '127.0.0.1', SANDBOX_HOST: '127.0.0.1' };
    const options = async (name: string) => {
      const { env, mounts = [], command } = await runOptions(services[name] as Service, state, here);
      // The image's own volume is the service's named one.
      const others = mounts.filter(({ target }) => target !== '/data');
      const volumes = join(state, `of-${name}`);
      return { env: { ...env, ...local }, mounts: others, volumes, ...(command && { command }) };
    };
    const running: Container[] = [];
    try {
      expect(await runOnce(image, await options('secrets'))).toEqual({ code: 0, output: '' });
      const secretOf = (name: string) => readFileSync(join(state, 'secrets', name), 'utf8');
      expect(secretOf('database-url')).toBe(
        `postgres://gateway:${secretOf('postgres-password')}@postgres:5432/gateway`,
      );
      // The one part that is another program's image.
      writeFileSync(join(state, 'secrets/database-url'), await postgres.createDatabase());

      for (const [name, of] of [
        ['sandbox', withSandbox],
        ['gateway', image],
      ] as const) {
        const container = await runContainer(of, await options(name));
        running.push(container);
        const [, ...check] = services[name]?.healthcheck?.test ?? ['CMD', ...of.healthcheck];
        const health = () => container.exec(check.map(here)).then(({ code }) => code);
        await expect.poll(health, { timeout: 90_000, interval: 500 }).toBe(0);
      }

      const info = await (await fetch(`http://127.0.0.1:${sandboxPort}/sandbox`)).json();
      const { REGISTRY_ADDRESS } = services.gateway?.environment ?? {};
      expect(REGISTRY_ADDRESS).toBe(info.registryAddress);
      const caller = new GraphQLCaller(`http://127.0.0.1:${port}`, { authorization: 'Bearer demo-token' });
      const upload = await caller.upload('one.png', 'NON_ATTACHMENT_FILE', 'a picture');
      const id = await issue(caller, { requestId: 'one', entries: [entry(info, 'one', { upload })] });
      expect((await finalOutcome(caller, id)).entries).toMatchObject([{ status: 'ISSUED' }]);
      const { events } = await caller.data(
        '{ events(where: { types: [SRR_ISSUED] }) { edges { node { source } } } }',
      );
      expect(events.edges).toEqual([{ node: { source: 'WEBHOOK' } }]);

      const metrics = (token: string) =>
        fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization: `Bearer ${token}` } });
      expect((await metrics(secretOf('metrics-token'))).status).toBe(200);
      expect((await metrics('another')).status).toBe(401);
      for (const container of running.toReversed()) expect((await container.stop()).code).toBe(0);
    } finally {
      for (const container of running) await container.kill();
      await postgres.remove();
    }
  }, 240_000);

  describe('as an engine runs it, read-only', () => {
    let postgres: PostgresServer;
    let service: SandboxProcess;
    let caller: GraphQLCaller;
    let env: Record<string, string>;
    let container: Container;

    beforeAll(async () => {
      const [port] = await freePorts(1);
      postgres = await postgresServer();
      service = await sandboxProcess({
        SANDBOX_WEBHOOK_URL: `http://127.0.0.1:${port}/webhooks/commerce`,
        SANDBOX_WEBHOOK_KEY: webhookKey,
        SANDBOX_MINING_INTERVAL_MS: '200',
        SANDBOX_HASH_DELAY_MS: '200',
        SANDBOX_FIXTURES: 'off',
      });
      const { info } = service;
      const { address, apiKey } = info.issuers[0] as (typeof info.issuers)[number];
      env = {
        // The image's own HOST would let other machines in.
        HOST: '127.0.0.1',
        PORT: `${port}`,
        DATABASE_URL: await postgres.createDatabase(),
        SECRETS_KEY: randomBytes(32).toString('base64'),
        COMMERCE_URL: info.commerceUrl,
        SUBGRAPH_URL: info.subgraphUrl,
        IPFS_GATEWAYS: info.ipfsUrl,
        REGISTRY_ADDRESS: info.registryAddress,
        ISSUERS: JSON.stringify([
          {
            ...{ address, apiKey, webhookKeys: [webhookKey] },
            tokens: [{ token, scopes: ['read', 'upload', 'issue'] }],
          },
        ]),
        // Soon, so that what no webhook tells is looked for on chain while the test waits.
        RECONCILE_AFTER: '2',
      };
      caller = new GraphQLCaller(`http://127.0.0.1:${port}`, { authorization: `Bearer ${token}` });
    });
    afterEach(() => container?.kill());
    afterAll(async () => {
      await service?.remove();
      await postgres?.remove();
    });

    /** Runs it until it is healthy by its own word. */
    async function start(): Promise<void> {
      container = await runContainer(image, { env, volumes: join(directory, 'volumes') });
      const health = () => container.exec(image.healthcheck).then(({ code }) => code);
      await expect.poll(health, { timeout: 60_000, interval: 500 }).toBe(0);
    }

    it('is healthy without root, and nobody can write anywhere but to its volume', async () => {
      await start();
      expect(uidsOf(container.pid)).toEqual([1000, 1000, 1000, 1000]);
      const writing = (path: string, uid?: number) => container.exec(['touch', path], uid);
      for (const path of ['/written', '/app/src/written', '/tmp/written', '/home/node/written'])
        for (const uid of [image.user.uid, 0])
          expect(await writing(path, uid)).toMatchObject({
            code: 1,
            output: expect.stringContaining('Read-only file system'),
          });
      expect(await writing('/data/written')).toEqual({ code: 0, output: '' });
      expect(await container.stop()).toMatchObject({ code: 0 });
    });

    it('makes a picture smaller: the library for it is there and runs', async () => {
      await start();
      const original = readFileSync(join(project, 'examples/files/harbour-at-dusk.jpg'));
      const upload = await caller.upload(`${randomUUID()}.jpg`, 'NON_ATTACHMENT_FILE', original);
      const name = `pictured-${randomUUID()}`;
      const id = await issue(caller, {
        requestId: name,
        entries: [entry(service.info, name, { upload })],
      });
      const [issued] = (await finalOutcome(caller, id)).entries;
      const picture = async () => {
        const { srr } = await caller.data(
          'query ($tokenId: TokenId!) { srr(tokenId: $tokenId) { metadata { image { url(transform: { maxWidth: 160 }) } } } }',
          { tokenId: issued?.srr?.tokenId },
        );
        return srr?.metadata?.image.url;
      };
      await expect.poll(picture, { timeout: 20_000 }).toMatch(/\/pictures\/\w+\/160x\d+\.webp$/);
      const response = await fetch(await picture());
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp']);
      const made = await sharp(await response.arrayBuffer()).metadata();
      expect([made.format, made.width]).toEqual(['webp', 160]);
      expect((await container.stop()).code).toBe(0);
    });

    it('is unhealthy by the same command where no gateway answers', async () => {
      await start();
      const [closed] = await freePorts(1);
      const { code } = await container.exec(['env', `PORT=${closed}`, ...image.healthcheck]);
      expect(code).toBe(1);
    });

    it('ends within 10 s of its stop signal with an issuing call under way, which ends issued once', async () => {
      await start();
      const upload = await caller.upload(`${randomUUID()}.png`, 'NON_ATTACHMENT_FILE', 'a picture');
      // The service takes the request, and its answer is longer under way than a stop may take.
      await control({ url: service.info.commerceUrl }, 'settings', { webhooksPaused: true });
      await control({ url: service.info.commerceUrl }, 'faults', {
        ...{ kind: 'response', route: 'srrs', when: 'after', effect: 'late', delayMs: 60_000 },
      });
      const name = `stopped-${randomUUID()}`;
      const input = { requestId: name, entries: [entry(service.info, name, { upload })] };
      const id = await issue(caller, input);
      const faults = async () => (await fetch(`${service.info.commerceUrl}/sandbox/faults`)).json();
      await expect.poll(faults, { timeout: 20_000 }).toEqual({ faults: [] });
      const status = 'query ($id: ID!) { issuance(id: $id) { status } }';
      expect((await caller.data(status, { id })).issuance.status).toBe('SUBMITTING');

      const { code, tookMs } = await container.stop();
      expect(code, container.output()).toBe(0);
      expect(tookMs).toBeLessThan(10_000);
      console.log(`the image stopped in ${tookMs} ms with an issuing call under way`);

      await start();
      await control({ url: service.info.commerceUrl }, 'settings', { webhooksPaused: false });
      const outcome = await finalOutcome(caller, id);
      expect(outcome.entries).toMatchObject([{ externalId: name, status: 'ISSUED' }]);
      expect(await issue(caller, input)).toBe(id);
      expect(await mintsOf(service.info.rpcUrl, [outcome.entries[0]?.srr?.tokenId])).toEqual([1]);
      expect((await container.stop()).code).toBe(0);
    });
  });
});

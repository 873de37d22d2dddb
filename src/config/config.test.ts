import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { faultsOf } from '../../test/_util/faults-of.ts';
import { typeOfDelivery } from '../model/event-type.ts';
import { scopes } from '../model/scope.ts';
import { loadConfig, variableNames } from './config.ts';

const live = {
  COMMERCE_URL: 'https://issuing.example/',
  SUBGRAPH_URL: 'https://index-a.example/q, https://index-b.example/q',
  IPFS_GATEWAYS: 'https://cdn.example',
  REGISTRY_ADDRESS: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
};

const deliveredTypes = [...typeOfDelivery.values()].join(', ');

describe('configuration', () => {
  it('defaults to the sandbox on loopback', () => {
    const { config, secrets } = loadConfig({});
    expect(config).toMatchObject({ host: '127.0.0.1', port: 4000, dataDir: './data', passthrough: true });
    expect(config.upstreams).toBeUndefined();
    expect(secrets.issuers).toEqual([]);
  });

  it('has the addresses of a live service, and keeps the order of lists', () => {
    expect(loadConfig(live).config.upstreams).toEqual({
      commerceUrl: 'https://issuing.example',
      subgraphUrls: ['https://index-a.example/q', 'https://index-b.example/q'],
      ipfsGateways: ['https://cdn.example'],
      registryAddress: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    });
  });

  it('caches content in DATA_DIR by default, but with a DATABASE_URL only in a configured directory', () => {
    const directoryOf = (env: Record<string, string>) => loadConfig(env).config.ipfsCache.directory;
    const server = {
      DATABASE_URL: 'postgres://db.example/x',
      SECRETS_KEY: Buffer.alloc(32).toString('base64'),
    };
    expect(directoryOf({ DATA_DIR: '/srv' })).toBe('/srv/ipfs');
    expect(directoryOf({ ...server, DATA_DIR: '/srv' })).toBeUndefined();
    expect(directoryOf({ ...server, IPFS_CACHE_DIR: '/cache' })).toBe('/cache');
  });

  it('rounds fractions of a second up to whole milliseconds', () => {
    const drainOf = (seconds: string) => loadConfig({ DRAIN_TIMEOUT: seconds }).config.timeouts.drain;
    // 16.1 seconds are 16100.000000000002 ms in floating point.
    expect(drainOf('16.1')).toBe(16_101);
    expect(drainOf('0.0001')).toBe(1);
  });

  it('limits the cost of an operation to what a caller may spend in a minute', () => {
    const costOf = (env: Record<string, string>) => loadConfig(env).config.queryLimits.cost;
    expect(costOf({ MAX_COST: '5000', COST_LIMIT: '1000' })).toBe(1000);
    expect(costOf({ MAX_COST: '5000', COST_LIMIT: '0' })).toBe(5000);
  });

  it('lets deliveries go to this machine by default only with the sandbox', () => {
    const allowed = (env: Record<string, string>) =>
      loadConfig(env).config.webhooks.privateNetworks.map(({ address }) => address);
    expect(allowed({})).toEqual(['127.0.0.0', '::1']);
    expect(allowed(live)).toEqual([]);
  });

  it('has traces sent to the address for traces, if there is one', () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'https://collector.example';
    const OTEL_EXPORTER_OTLP_TRACES_ENDPOINT = 'https://traces.example/in';
    const urlOf = (env: Record<string, string>) => loadConfig(env).config.traces?.url;
    expect(urlOf({ OTEL_EXPORTER_OTLP_ENDPOINT })).toBe('https://collector.example/v1/traces');
    expect(urlOf({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT })).toBe(
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
    );
  });

  it('has somebody who can issue with a live service', () => {
    expect(faultsOf({ ...live, PASSTHROUGH: 'off' })).toEqual([expect.stringMatching(/^ISSUERS: missing/)]);
    expect(faultsOf({ PASSTHROUGH: 'off' })).toEqual([]);
  });

  it('reports all faults at once', () => {
    const faults = faultsOf({
      PORT: 'abc',
      PUBLIC_URL: 'ftp://x',
      DATABASE_URL: 'mysql://x',
      COMMERCE_URL: 'https://issuing.example',
      ISSUERS: '[{"address":"0x12","apiKey":"short"}]',
      WEBHOOK_TYPES: '{',
    });
    for (const name of [
      'PORT',
      'PUBLIC_URL',
      'DATABASE_URL',
      'SUBGRAPH_URL, IPFS_GATEWAYS',
      'ISSUERS.0.address',
      'ISSUERS.0.apiKey',
      'WEBHOOK_TYPES',
      'SECRETS_KEY',
    ])
      expect(faults.filter((fault) => fault.startsWith(`${name}:`))).toHaveLength(1);
  });

  it('refuses a DATABASE_URL with several hosts, which the driver does not support', () => {
    const SECRETS_KEY = Buffer.alloc(32).toString('base64');
    // A password from `openssl rand -base64` may have slashes.
    for (const hosts of ['a,b', 'a:1,b:2', 'user:p/w@a', 'user:p#w@a'])
      expect(faultsOf({ DATABASE_URL: `postgres://${hosts}/x`, SECRETS_KEY })).toEqual([
        'DATABASE_URL: must be a postgres:// address of one host; percent-encode what is not a letter or digit in the password',
      ]);
  });

  it.each([
    ['PORT', '99999', 'must be a whole number, from 0 to 65535'],
    ['PORT', 'abc', 'must be a whole number, from 0 to 65535'],
    ['RATE_LIMIT', '-1', 'must be a whole number of requests, 0 or more'],
    // Number(' ') is 0, which would switch the limit off.
    ['RATE_LIMIT', ' ', 'must be a whole number of requests, 0 or more'],
    ['OTEL_TRACES_SAMPLER_ARG', ' ', 'must be a number from 0 to 1'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5', 'must be a number from 0 to 1'],
    ['DATABASE_POOL', '1', 'must be a whole number of connections, from 2 to 100'],
    ['MAX_DEPTH', '1.5', 'must be a whole number, 1 or more'],
    ['TRUSTED_PROXIES', '11', 'must be a whole number of proxies, from 0 to 10'],
    ['KEEP_EVENTS_DAYS', '0', 'must be a whole number of days, from 1 to 36500'],
    ['WEBHOOK_MAX_BYTES', '1e400', 'must be a whole number of bytes, 1 or more'],
    ['REQUEST_TIMEOUT', '0', 'must be a number of seconds, more than 0 and at most 2000000'],
    ['DRAIN_TIMEOUT', '10000000', 'must be a number of seconds, more than 0 and at most 2000000'],
    [
      'REGISTRY_ADDRESS',
      '0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      'must be 0x and 40 hex digits, all in one case or with the right checksum',
    ],
    ['REORG_WATCH', '4', 'must be at least 5 seconds'],
    ['METRICS_TOKEN', 'some words', 'must be ASCII without spaces, since it is sent as a bearer token'],
    [
      'SUBGRAPH_API_KEY',
      'two\nlines',
      'must be ASCII without control characters, and without spaces at its ends, since it is sent as a header',
    ],
    [
      'ANSWERS_URL',
      'http://cache',
      'must be a redis://, rediss://, valkey:// or valkeys:// address; percent-encode what is not a letter or digit in the password',
    ],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'foo', 'must be an http:// or https:// address'],
    ['CDN_PURGE_URL', 'api.cdn.example', 'must be an http:// or https:// address'],
    [
      'CDN_PURGE_URL',
      'https://u:p@api.cdn.example',
      'must have no user and password; put credentials into CDN_PURGE_HEADERS',
    ],
    ['PUBLIC_URL', 'https://u:p@gateway.example', 'must have no user and password'],
    ['PUBLIC_URL', 'https://:p@gateway.example', 'must have no user and password'],
    [
      'ALLOW_PRIVATE_WEBHOOKS',
      '10.0.0.0/33',
      'must be a network such as fd00::/8: an address, a slash and the length of its prefix',
    ],
    [
      'CORS_ORIGINS',
      'https://shop.example/page',
      'must be an origin such as https://shop.example, without a path; * alone is all of them',
    ],
    [
      'SECRETS_KEY',
      Buffer.alloc(33).toString('base64'),
      'must be 32 bytes in base64 (openssl rand -base64 32)',
    ],
    ['PUBLIC_URL', 'https://gateway.example/?a=1', 'must have no ? and no #: paths are added to it'],
    ['CDN_PURGE_HEADERS', 'fastly-key=x', 'set CDN_PURGE_URL too; without it nothing is purged'],
    [
      'SIGNALS_URL',
      'nats:',
      'must be a nats://, tls://, redis://, rediss://, valkey:// or valkeys:// address; percent-encode what is not a letter or digit in the password',
    ],
    ['SIGNALS_URL', 'nats://u:100%@h', 'must have a user and a password that are percent-encoded'],
    [
      'DATABASE_DIRECT_URL',
      'postgres://db.example/x',
      'set DATABASE_URL too; without a pooler, set that one alone',
    ],
  ])('refuses a value of %s out of bounds, and reports the bounds: %s', (name, value, fault) => {
    expect(faultsOf({ [name]: value })).toEqual([`${name}: ${fault}`]);
  });

  it.each([
    ['{', 'WEBHOOK_TYPES: must be JSON'],
    [
      '[]',
      'WEBHOOK_TYPES: must be an object of delivery type → event type, {"issuance_failed": "SRR_FAILED"}',
    ],
    ['{"issuance_failed": "FAILED"}', `WEBHOOK_TYPES.issuance_failed: must be one of ${deliveredTypes}`],
    // The service never delivers events of these types.
    ['{"mine": "UNRECOGNIZED"}', `WEBHOOK_TYPES.mine: must be one of ${deliveredTypes}`],
    ['{"mine": "WEBHOOK_ENDPOINT_DISABLED"}', `WEBHOOK_TYPES.mine: must be one of ${deliveredTypes}`],
  ])('refuses a WEBHOOK_TYPES of %s, and reports what it must be', (value, fault) => {
    expect(faultsOf({ WEBHOOK_TYPES: value })).toEqual([fault]);
  });

  const url = 'must be an http:// or https:// address';
  it.each([
    ['IPFS_GATEWAYS', 'cdn.example', [url]],
    ['SUBGRAPH_URL', 'index-a.example, https://index-b.example,', [`address 1 ${url}`, `address 3 ${url}`]],
    [
      'CORS_ORIGINS',
      'https://shop.example,*',
      ['entry 2 must be an origin such as https://shop.example, without a path; * alone is all of them'],
    ],
    [
      'SECRETS_KEY',
      `${Buffer.alloc(32).toString('base64')},c2hvcnQ=`,
      ['key 2 must be 32 bytes in base64 (openssl rand -base64 32)'],
    ],
  ])('reports faults in the list %s with positions that start at 1', (name, value, faults) => {
    const found = faultsOf({ ...live, [name]: value });
    expect(found).toEqual(faults.map((fault) => `${name}: ${fault}`));
  });

  it.each(['COMMERCE_URL', 'SUBGRAPH_URL', 'IPFS_GATEWAYS', 'JWT_JWKS_URL'])(
    'refuses credentials in %s, because the address is shown and they would not be sent',
    (name) => {
      const env = { ...live, JWT_ISSUER: 'i', JWT_AUDIENCE: 'a', JWT_JWKS_URL: 'https://id.example' };
      const faults = faultsOf({ ...env, [name]: 'https://user:secret@h.example/x' });
      expect(faults).toEqual([`${name}: must have no user and password`]);
    },
  );

  it('reports what a variable must be for every invalid value', () => {
    for (const value of ['nonsense ,', '-1', '[]', '{"a":1}', '*,*'])
      for (const fault of faultsOf(Object.fromEntries(variableNames.map((name) => [name, value]))))
        expect(fault, value).not.toMatch(/invalid|expected|received|too (small|big)|\.\d/i);
  });

  it('refuses the same issuer twice', () => {
    const issuer = { address: `0x${'1'.repeat(40)}`, apiKey: 'an-api-key' };
    const faults = faultsOf({ ISSUERS: JSON.stringify([issuer, issuer]) });
    expect(faults).toEqual([expect.stringMatching(/the same address occurs twice/)]);
  });

  it('refuses a token of two issuers, but accepts a webhook key of several', () => {
    const issuer = (digit: string) => ({
      address: `0x${digit.repeat(40)}`,
      apiKey: 'an-api-key',
      webhookKeys: ['the-same-key'],
      tokens: [{ token: 'the-same-token', scopes: ['read'] }],
    });
    const faults = faultsOf({ ISSUERS: JSON.stringify([issuer('1'), issuer('2')]) });
    expect(faults).toEqual([expect.stringMatching(/the same token occurs twice/)]);
  });

  it('refuses a signing secret that is invalid or belongs to two issuers', () => {
    const issuer = (digit: string, signingSecret: string) => ({
      address: `0x${digit.repeat(40)}`,
      apiKey: 'an-api-key',
      signingSecrets: [signingSecret],
    });
    const short = `whsec_${Buffer.alloc(23).toString('base64')}`;
    const good = `whsec_${Buffer.alloc(24).toString('base64')}`;
    for (const bad of ['plain text', 'whsec_', short, `${good}===`]) {
      const faults = faultsOf({ ISSUERS: JSON.stringify([issuer('1', bad)]) });
      expect(faults.join()).toMatch(/^ISSUERS\.0\.signingSecrets\.0: must/);
    }
    expect(faultsOf({ ISSUERS: JSON.stringify([issuer('1', good), issuer('2', good)]) }).join()).toMatch(
      /signing secret/,
    );
  });

  it('accepts the same webhook endpoint addresses as the API', () => {
    const secrets = [`whsec_${Buffer.alloc(24).toString('base64')}`];
    const issuersWith = (...urls: string[]) =>
      JSON.stringify([
        {
          address: `0x${'1'.repeat(40)}`,
          apiKey: 'an-api-key',
          webhookEndpoints: urls.map((url) => ({ url, secrets })),
        },
      ]);
    const taken = loadConfig({ ISSUERS: issuersWith('https://Shop.example:443') });
    expect(taken.secrets.issuers[0]?.webhookEndpoints?.[0]?.url).toBe('https://shop.example/');
    const faultOf = (...urls: string[]) => faultsOf({ ISSUERS: issuersWith(...urls) }).join();
    expect(faultOf('https://u:p@shop.example/')).toMatch(/webhookEndpoints\.0\.url: must have no user/);
    expect(faultOf('https://shop.example/#a')).toMatch(/webhookEndpoints\.0\.url: must have no fragment/);
    expect(faultOf('https://shop.example', 'https://shop.example/')).toMatch(/the same url twice/);
    const described = issuersWith('https://shop.example').replace('"url"', '"description":"a\\u0000","url"');
    expect(faultsOf({ ISSUERS: described }).join()).toMatch(
      /webhookEndpoints\.0\.description: must have no NUL/,
    );
  });

  const known = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  const apiKey = 'an-api-key';
  it.each<[string, unknown, string]>([
    [
      'a key',
      [{ address: known }],
      `.0.apiKey: is missing: the issuer’s commerce-api-key at the service (issuer ${known})`,
    ],
    [
      'a key that is text',
      [{ address: known, apiKey: 7 }],
      `.0.apiKey: must be text: the issuer’s commerce-api-key at the service (issuer ${known})`,
    ],
    ['the address', [{ apiKey }], '.0.address: is missing: the issuer’s Ethereum address'],
    ['a list', { address: known, apiKey }, ': must be a list of issuers, [{"address", "apiKey", …}]'],
    [
      'a known field name',
      [{ address: known, apiKey, webhookKey: ['a-webhook-key'] }],
      `.0: has webhookKey; it may have address, apiKey, webhookKeys, signingSecrets, tokens, webhookEndpoints (issuer ${known})`,
    ],
    [
      'scopes',
      [{ address: known, apiKey, tokens: [{ token: 'a-long-token', scopes: [] }] }],
      `.0.tokens.0.scopes: must be one or more of ${scopes.join(', ')} (issuer ${known})`,
    ],
    [
      'a scope',
      [{ address: known, apiKey, tokens: [{ token: 'a-long-token', scopes: ['mint'] }] }],
      `.0.tokens.0.scopes.0: must be one or more of ${scopes.join(', ')} (issuer ${known})`,
    ],
    [
      'a key that a header can have',
      [{ address: known, apiKey: 'an-api-key\n' }],
      `.0.apiKey: must be ASCII without control characters, and without spaces at its ends, since it is sent as a header (issuer ${known})`,
    ],
    [
      'a webhook key that a header can have',
      [{ address: known, apiKey, webhookKeys: ['ein Schlüssel'] }],
      `.0.webhookKeys.0: must be ASCII without control characters, and without spaces at its ends, since it is sent as a header (issuer ${known})`,
    ],
    [
      'a token that can be sent',
      [{ address: known, apiKey, tokens: [{ token: 'some words', scopes: ['read'] }] }],
      `.0.tokens.0.token: must be ASCII without spaces, since it is sent as a bearer token (issuer ${known})`,
    ],
  ])(
    'reports issuer, field and remedy when %s is missing, for the variable and for the file',
    (_what, issuers, fault) => {
      const file = join(mkdtempSync(join(tmpdir(), 'issuers-')), 'issuers.json');
      writeFileSync(file, JSON.stringify(issuers));
      expect(faultsOf({ ISSUERS_FILE: file })).toEqual([`ISSUERS_FILE${fault}`]);
      expect(faultsOf({ ISSUERS: JSON.stringify(issuers) })).toEqual([`ISSUERS${fault}`]);
    },
  );

  it('reads a file that begins with a byte order mark', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'issuers-')), 'issuers.json');
    writeFileSync(file, `\ufeff${JSON.stringify([{ address: known, apiKey }])}`);
    expect(loadConfig({ ISSUERS_FILE: file }).secrets.issuers).toMatchObject([{ address: known }]);
  });

  it.each(['ISSUERS_FILE', 'TRUSTED_DOCUMENTS_FILE'])('reports why %s cannot be read', (name) => {
    const directory = mkdtempSync(join(tmpdir(), 'files-'));
    const file = join(directory, 'a.json');
    const faultOf = (path: string) => faultsOf({ [name]: path });
    expect(faultOf(file)).toEqual([`${name}: ${file} does not exist`]);
    expect(faultOf(directory)).toEqual([`${name}: ${directory} is a directory; name a file in it`]);
    writeFileSync(file, '[{]');
    expect(faultOf(file)).toEqual([`${name}: ${file} is not JSON`]);
    chmodSync(file, 0);
    // Root can read any file.
    if (process.getuid?.() !== 0)
      expect(faultOf(file)).toEqual([`${name}: ${file} cannot be read by the user that runs this program`]);
  });

  it('never quotes a secret in a fault', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'issuers-')), 'issuers.json');
    writeFileSync(file, '[{"apiKey": "super-secret-key",]');
    const faults = faultsOf({ ISSUERS_FILE: file, SECRETS_KEY: 'super-secret-key' });
    expect(faults).toHaveLength(2);
    expect(faults.join()).not.toContain('super-secret-key');
  });
});

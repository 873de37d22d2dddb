import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync } from 'node:zlib';

// Builds the gallery and serves it from its own origin, as a CDN would.

const help = `Usage: npm run gallery

Builds the gallery and serves it. srr-gateway has to run (npm start).

  --built    serves the last build
  --help     this text

GATEWAY_URL is the endpoint of srr-gateway (http://127.0.0.1:4000/graphql), or PORT is its port on this machine;
GALLERY_PORT is the port of the gallery (4300).
`;

function readOptions() {
  try {
    const { values } = parseArgs({ options: { built: { type: 'boolean' }, help: { type: 'boolean' } } });
    if (!values.help) return values;
    process.stdout.write(help);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${help}`);
    process.exitCode = 1;
  }
  process.exit();
}

const { built } = readOptions();

const folder = import.meta.dirname;
const port = Number(process.env.GALLERY_PORT || 4300);
if (!(Number.isInteger(port) && port >= 0 && port < 65536)) {
  console.error('GALLERY_PORT must be a port: a whole number from 0 to 65535.');
  process.exit(1);
}
const gateway = process.env.GATEWAY_URL || `http://127.0.0.1:${process.env.PORT || 4000}/graphql`;
const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

function run(command: string, ...args: string[]) {
  // A test runner sets another NODE_ENV, which would build React with its development checks.
  const env = { ...process.env, NODE_ENV: 'production' };
  const { status } = spawnSync(command, args, { cwd: folder, env, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed in examples/gallery`);
}

if (!existsSync(join(folder, 'node_modules'))) run('npm', 'ci', '--include=dev');
if (!built) run('npm', 'run', 'build');

const files = new Map(
  globSync('**/*.*', { cwd: join(folder, 'dist') }).map((path) => {
    const text = readFileSync(join(folder, 'dist', path), 'utf8');
    // One build serves any gateway.
    const body = text.replace(/(name="gateway" content=")[^"]*/, `$1${gateway}`);
    return [
      `/${path}`,
      { body, small: brotliCompressSync(body), type: types[extname(path)] ?? 'text/plain' },
    ];
  }),
);

const server = createServer((req, res) => {
  // Paths such as `//` are not valid URLs, and would end the process.
  const [pathname = '/'] = (req.url ?? '').split('?');
  const asset = pathname.startsWith('/assets/');
  // Each page of the app is the same document.
  const file = files.get(pathname) ?? (asset ? undefined : files.get('/index.html'));
  if (!file) return void res.writeHead(404).end();
  const brotli = /\bbr\b/.test(String(req.headers['accept-encoding']));
  res.writeHead(200, {
    'content-type': file.type,
    // The names of assets are hashes of their content.
    'cache-control': asset ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    ...(brotli && { 'content-encoding': 'br' }),
  });
  res.end(brotli ? file.small : file.body);
});
server.on('error', ({ message }) => {
  console.error(`${message}. Set GALLERY_PORT to use another port.`);
  process.exitCode = 1;
});
server.listen(port, '127.0.0.1', () => {
  console.log(`\n  Gallery   http://127.0.0.1:${port}/\n  Gateway   ${gateway}\n`);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** nginx in front of the replicas, for this bench only. deploy/nginx/srr-gateway.conf is for production. */
export interface Balancer {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/** Connections of each worker. A stream takes two: one to the client, one to the replica. */
const connections = 16_000;
/** A process may open some 20,000 files unless the limit was raised. */
const workers = 2;
const startMs = 5_000;

const configuration = (port: number, replicas: number[]) => `
daemon off;
worker_processes ${workers};
pid nginx.pid;
error_log stderr error;
events { worker_connections ${connections}; }
http {
  access_log off;
  client_max_body_size 30m;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path other; uwsgi_temp_path other; scgi_temp_path other;
  upstream gateways {
    least_conn;
    ${replicas.map((each) => `server 127.0.0.1:${each} max_fails=0;`).join(' ')}
    # Keep connections to the replicas, whose own idle time-out is longer.
    keepalive 128;
    keepalive_timeout 30s;
  }
  server {
    # With reuseport the workers share the connections evenly.
    listen 127.0.0.1:${port} reuseport backlog=4096;
    keepalive_requests 1000000;
    location / {
      proxy_pass http://gateways;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      # Do not buffer event streams, and keep them open without events.
      proxy_buffering off;
      proxy_read_timeout 1h;
    }
  }
}
`;

export async function balancer(port: number, replicas: number[]): Promise<Balancer> {
  const directory = await mkdtemp(join(tmpdir(), 'nginx-'));
  // The workers run as another user.
  await chmod(directory, 0o755);
  const file = join(directory, 'nginx.conf');
  await writeFile(file, configuration(port, replicas));
  const child = spawn('nginx', ['-p', directory, '-e', 'stderr', '-c', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const stop = async () => {
    if (child.pid !== undefined && child.exitCode === null) {
      const gone = once(child, 'exit');
      child.kill();
      await gone;
    }
    await rm(directory, { recursive: true, force: true });
  };
  const failed = once(child, 'error').then(([cause]) => {
    throw new Error('nginx does not start. Install it: apt-get install -y nginx', { cause });
  });
  failed.catch(() => {});
  const url = `http://127.0.0.1:${port}`;
  for (const giveUpAt = Date.now() + startMs; ; await Promise.race([sleep(20), failed])) {
    const answer = await fetch(`${url}/health/live`).catch(() => undefined);
    if (answer?.ok) return { url, pid: child.pid as number, stop };
    if (child.exitCode !== null || Date.now() > giveUpAt) {
      await stop();
      throw new Error('nginx did not start; its output says why.');
    }
  }
}

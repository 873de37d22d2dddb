import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silent } from '@srr-gateway/common/testing/database';
import { expect, it, onTestFinished } from 'vitest';
import { GatewayResponse } from '../response.ts';
import { createRouter, requestListener } from '../server.ts';
import { healthRoutes } from './operator.ts';

it('readiness that many ask for at once is checked once, and anew afterwards', async () => {
  let checks = 0;
  let checked = Promise.withResolvers<boolean>();
  const store = () => {
    checks++;
    return checked.promise;
  };
  const router = createRouter(() => {}, healthRoutes({ store }));
  let asked = 0;
  const count = () => void asked++;
  const server = createServer({ ServerResponse: GatewayResponse }, requestListener([count, router], silent));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => server[Symbol.asyncDispose]());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/health/ready`;
  const statuses = Array.from({ length: 5 }, async () => (await fetch(url)).status);
  await expect.poll(() => asked).toBe(5);
  checked.resolve(true);
  expect(await Promise.all(statuses)).toEqual(Array(5).fill(200));
  expect(checks).toBe(1);
  checked = Promise.withResolvers();
  checked.resolve(false);
  expect((await fetch(url)).status).toBe(503);
});

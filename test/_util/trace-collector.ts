import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A span of OTLP's JSON, with its attributes by their names. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: Record<string, string | number>;
  failed: boolean;
}

export interface TraceCollector {
  url: string;
  spans: ReceivedSpan[];
  /** All requests, as text. */
  bodies: string[];
  headers: IncomingHttpHeaders[];
  /** The names of the services that the spans came from. */
  services: Set<string>;
  stop(): Promise<void>;
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number };
}
interface Otlp {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      spans: (Omit<ReceivedSpan, 'attributes'> & { attributes: Attribute[]; status: { code?: number } })[];
    }[];
  }[];
}

const valuesOf = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));

/** Receives traces over HTTP on loopback, like an OpenTelemetry collector. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const collector: Omit<TraceCollector, 'url' | 'stop'> = {
    spans: [],
    bodies: [],
    headers: [],
    services: new Set(),
  };
  const server = createServer(async (req, res) => {
    if (req.method !== 'POST' || req.url !== '/v1/traces') return res.writeHead(404).end();
    const body = (await json(req)) as Otlp;
    collector.headers.push(req.headers);
    collector.bodies.push(JSON.stringify(body));
    for (const { resource, scopeSpans } of body.resourceSpans) {
      collector.services.add(String(valuesOf(resource.attributes)['service.name']));
      for (const { attributes, status, ...span } of scopeSpans.flatMap(({ spans }) => spans))
        collector.spans.push({ ...span, attributes: valuesOf(attributes), failed: status.code === 2 });
    }
    return res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    ...collector,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

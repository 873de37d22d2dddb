import { randomUUID } from 'node:crypto';
import {
  type Context,
  isValidTraceId,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type IdGenerator,
  ParentBasedSampler,
  RandomIdGenerator,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { currentContext } from '@srr-gateway/common/async-context';
import { withTimeout } from '@srr-gateway/common/time';
import type { Span } from '@srr-gateway/common/tracing/span';
import { type Collector, collectorExporter, exportMs } from './collector.ts';
import { onSpans } from './trace.ts';

export interface TraceOptions extends Collector {
  serviceName: string;
  /** Share of the traces that begin here to sample, from 0 to 1. Other traces follow the caller's decision. */
  ratio: number;
}

/** Spans are sent within a second, because people look for a trace right after its request. */
const waitMs = 1_000;
/** Spans that may wait. Further ones are dropped, so that memory stays bounded. A trace seldom has as many. */
const maxWaiting = 2_048;
/** In characters: an attribute is a word or an id. */
const maxAttributeLength = 256;
/** Time to flush at a stop. The drain takes most of the ten seconds that containers have to stop. */
const flushMs = 1_000;

/** Sends the spans of this process to a collector until `stop`, which flushes the rest within a second. */
export function exportTraces(options: TraceOptions): { stop(): Promise<void> } {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': options.serviceName,
      'service.instance.id': randomUUID(),
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.ratio) }),
    spanLimits: { attributeValueLengthLimit: maxAttributeLength },
    idGenerator: contextIds,
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: collectorExporter(options),
        scheduledDelayMillis: waitMs,
        maxQueueSize: maxWaiting,
        exportTimeoutMillis: 2 * exportMs,
      }),
    ],
  });
  const tracer = provider.getTracer('srr-gateway');
  const otelSpans = new WeakMap<Span, OtelSpan>();
  const unsubscribe = onSpans({
    begins: (span) => {
      const { requestId, issuanceId } = currentContext();
      const attributes = {
        ...(requestId && { 'srr.request.id': requestId }),
        ...(issuanceId && { 'srr.issuance.id': issuanceId }),
      };
      otelSpans.set(
        span,
        tracer.startSpan(span.name, { kind: SpanKind[span.kind], attributes }, parentOf(span)),
      );
    },
    ended: (span) => {
      const otelSpan = otelSpans.get(span);
      const { outcome = 'ok' } = span;
      otelSpan?.setAttributes({ ...span.attributes, 'srr.outcome': outcome });
      // A cancelled call is not an error: another was faster, or its caller left.
      if (outcome !== 'ok' && outcome !== 'CANCELLED') {
        otelSpan?.setStatus({ code: SpanStatusCode.ERROR });
        otelSpan?.setAttribute('error.type', outcome);
      }
      otelSpan?.end();
    },
  });

  function parentOf({ within, caller }: Span): Context {
    const parent = within && otelSpans.get(within);
    if (parent) return trace.setSpan(ROOT_CONTEXT, parent);
    const remote = caller === undefined ? null : parseTraceParent(caller);
    return remote ? trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true }) : ROOT_CONTEXT;
  }

  return {
    stop: async () => {
      unsubscribe();
      await withTimeout(provider.shutdown(), flushMs).catch(() => {});
    },
  };
}

const random = new RandomIdGenerator();

/** A trace that begins here gets the id of its request or issuance, so that log lines lead to it. */
const contextIds: IdGenerator = {
  generateSpanId: () => random.generateSpanId(),
  generateTraceId: () => {
    const { requestId, issuanceId } = currentContext();
    const id = (requestId ?? issuanceId ?? '').replaceAll('-', '');
    return isValidTraceId(id) ? id : random.generateTraceId();
  },
};

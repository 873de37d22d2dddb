import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { runDetached } from '@srr-gateway/common/async-context';
import type { Logger } from '@srr-gateway/common/log';

/** Where spans go. */
export interface Collector {
  url: string;
  /** Secrets. */
  headers: Record<string, string>;
  log: Logger;
}

/** With its repetitions; a collector that needs longer is down, and newer spans are waiting. */
export const exportMs = 5_000;

/** Sends spans as OTLP over HTTP. One that cannot be reached is told of once, and again when it is back. */
export function collectorExporter({ url, headers, log }: Collector): SpanExporter {
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: exportMs, concurrencyLimit: 4 });
  const { host } = new URL(url);
  let reached = true;
  const tell = (ok: boolean, error?: Error) => {
    if (ok === reached) return;
    reached = ok;
    // Of its error only what cannot quote a header or a body.
    const why = (error as { code?: string | number } | undefined)?.code;
    if (ok) log.info({ host }, 'the collector takes traces again');
    else log.warn({ host, why }, 'the collector takes no traces; they are dropped until it does');
  };
  return {
    export: (spans, done) =>
      // Whose span began the timer says nothing of what the batch holds.
      runDetached(() =>
        exporter.export(spans, (result) => {
          tell(result.code === ExportResultCode.SUCCESS, result.error);
          done(result);
        }),
      ),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  };
}

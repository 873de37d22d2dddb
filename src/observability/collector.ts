import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { runDetached } from '@srr-gateway/common/async-context';
import type { Logger } from '@srr-gateway/common/log';
import { OutageLog } from '@srr-gateway/common/outage-log';

/** The OTLP collector that spans are sent to. */
export interface Collector {
  url: string;
  /** Headers of each request. They have secrets. */
  headers: Record<string, string>;
  log: Logger;
}

/**
 * Time-out of an export with its retries. Newer spans wait meanwhile, so a slower collector counts as down.
 */
export const exportMs = 5_000;

/** Makes an exporter of spans as OTLP over HTTP. It logs when an outage begins and when it ends. */
export function collectorExporter({ url, headers, log }: Collector): SpanExporter {
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: exportMs, concurrencyLimit: 4 });
  const outage = new OutageLog(
    log.child({ host: new URL(url).host }),
    'the collector does not accept traces; they are dropped until it does',
  );
  return {
    export: (spans, done) =>
      // Detach the export from the span in which its timer happened to start.
      runDetached(() =>
        exporter.export(spans, (result) => {
          const { code, error } = result;
          if (code === ExportResultCode.SUCCESS) outage.succeeded();
          else outage.failed(new Error(reasonOf(error)));
          done(result);
        }),
      ),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  };
}

/** Only the code, because the message could quote a header or a body. A time-out has none. */
function reasonOf(error: object | undefined): string {
  const code = error && 'code' in error ? error.code : undefined;
  return code === undefined ? `not accepted within ${exportMs / 1000} s` : String(code);
}

import type { Attributes, SpanContext } from '@opentelemetry/api';
import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { LaitError } from '../../errors/lait-error.js';
import { otlpEndpoint } from './otlp-endpoint.js';
import type { Span } from './span.js';

type ReadableSpan = Parameters<OTLPTraceExporter['export']>[0][number];

/** Spans sent in one request. */
const batchSize = 512;

/**
 * Sends spans to an OpenTelemetry collector over OTLP/HTTP, at what `otlpEndpoint` makes of `url`. Further settings
 * (headers, time limits) come from the usual OTEL_EXPORTER_OTLP_… variables. Throws a `LaitError`: `otlp_url_invalid`,
 * `otlp_failed`. Source: GenAI semantic conventions of OpenTelemetry.
 */
export async function exportSpans(spans: readonly Span[], url: string, version: string): Promise<void> {
  const target = otlpEndpoint(url);
  const [{ OTLPTraceExporter }, { resourceFromAttributes }, api] = await Promise.all([
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/api'),
  ]);
  const resource = resourceFromAttributes({ 'service.name': 'lait', 'service.version': version });
  const scope = { name: 'lait', version };
  const contextOf = (traceId: string, spanId: string): SpanContext => ({
    traceId,
    spanId,
    traceFlags: api.TraceFlags.SAMPLED,
  });
  const readable = spans.map(
    (span): ReadableSpan => ({
      name: nameOf(span),
      kind: span.operation === 'chat' ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL,
      spanContext: () => contextOf(span.trace_id, span.span_id),
      ...(span.parent_span_id === null
        ? {}
        : { parentSpanContext: contextOf(span.trace_id, span.parent_span_id) }),
      startTime: timeOf(span.start),
      endTime: timeOf(span.end),
      duration: timeOf(span.end - span.start),
      status:
        span.error === undefined
          ? { code: api.SpanStatusCode.UNSET }
          : { code: api.SpanStatusCode.ERROR, message: span.error },
      attributes: attributesOf(span),
      links: [],
      events: [],
      ended: true,
      resource,
      instrumentationScope: scope,
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    }),
  );
  const exporter = new OTLPTraceExporter({ url: target });
  try {
    for (let from = 0; from < readable.length; from += batchSize) {
      await send(exporter, readable.slice(from, from + batchSize), target);
    }
  } finally {
    await exporter.shutdown();
  }
}

function send(exporter: OTLPTraceExporter, spans: ReadableSpan[], target: string): Promise<void> {
  return new Promise((resolve, reject) => {
    exporter.export(spans, ({ code, error }) => {
      if (code === 0) resolve();
      else {
        const message = `spans could not be sent to ${target}${error === undefined ? '' : `: ${error.message}`}`;
        reject(new LaitError({ code: 'otlp_failed', message, cause: error }));
      }
    });
  });
}

/** `chat gpt-5`, `execute_tool search`, `step draft`. */
function nameOf({ operation, label, attributes }: Span): string {
  const subject = attributes['gen_ai.request.model'] ?? attributes['gen_ai.tool.name'] ?? label;
  return `${operation} ${String(subject)}`;
}

function attributesOf({ attributes, label }: Span): Attributes {
  const given = Object.entries(attributes).filter(([, value]) => value !== null);
  return { 'lait.label': label, ...(Object.fromEntries(given) as Attributes) };
}

function timeOf(milliseconds: number): [seconds: number, nanoseconds: number] {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
}

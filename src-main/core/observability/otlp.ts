import { ROOT_CONTEXT, SpanStatusCode, type Tracer } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import { ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from '@opentelemetry/semantic-conventions'
import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import { type ServerAddress, spanOf } from './spans.ts'

/** An ended request and its server, if that is known. */
export interface SpannedRequest {
  row: RequestRow
  server: ServerAddress | null
}

export interface OtlpOptions {
  version: string
  log(level: 'warn', line: string): void
}

/** Shorter than the SDK's 10 s, so that a dead collector does not delay the program's end. `OTEL_EXPORTER_OTLP_TIMEOUT` overrides it. */
const exportTimeoutMs = 3_000
/** How often a failing export is logged, ms. */
const logEveryMs = 600_000

/** Sends spans in batches to the collector that the environment names. */
export class OtlpSpans {
  readonly #provider: TracerProvider
  readonly #tracer: Tracer

  constructor({ version, log }: OtlpOptions) {
    // The environment (OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES) overrides these attributes.
    const resource = defaultResource()
      .merge(resourceFromAttributes({ [ATTR_SERVICE_NAME]: 'inference-studio', [ATTR_SERVICE_VERSION]: version }))
      .merge(detectResources({ detectors: [envDetector] }))
    const timeoutSet = 'OTEL_EXPORTER_OTLP_TIMEOUT' in process.env || 'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT' in process.env
    const exporter = new OTLPTraceExporter(timeoutSet ? {} : { timeoutMillis: exportTimeoutMs })
    this.#provider = new TracerProvider({
      resource,
      spanProcessors: [new BatchSpanProcessor({ exporter: withLogging(exporter, log) })],
    })
    this.#tracer = this.#provider.getTracer('inference-studio', version)
  }

  ended({ row, server }: SpannedRequest): void {
    const { name, kind, start, end, attributes, error } = spanOf(row, server)
    const span = this.#tracer.startSpan(name, { kind, startTime: start, attributes }, ROOT_CONTEXT)
    if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: error })
    span.end(end)
  }

  /** Sends the remaining spans, for as long as one export may take. */
  async close(): Promise<void> {
    // The failure of the collector was logged; the spans are lost.
    await this.#provider.shutdown().catch(() => undefined)
  }
}

/** Logs failed exports at most every `logEveryMs`, because the SDK drops such spans silently. */
function withLogging(exporter: SpanExporter, log: OtlpOptions['log']): SpanExporter {
  let loggedAt = Number.NEGATIVE_INFINITY
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.error !== undefined && performance.now() - loggedAt > logEveryMs) {
          loggedAt = performance.now()
          log('warn', `OpenTelemetry: ${spans.length} spans could not be sent: ${result.error.message}`)
        }
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  }
}

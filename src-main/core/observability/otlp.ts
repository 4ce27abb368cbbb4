import { ROOT_CONTEXT, SpanStatusCode, type Tracer } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import { ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from '@opentelemetry/semantic-conventions'
import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import type { ServerAddress } from './server.ts'
import { spanOf } from './spans.ts'

export interface SpannedRequest {
  row: RequestRow
  /** Where it went. */
  server: ServerAddress | null
}

export interface OtlpOptions {
  version: string
  log(level: 'warn', line: string): void
}

/** Short of the SDK's 10 s: a dead collector must not hold up the program's end for long. `OTEL_EXPORTER_OTLP_TIMEOUT` holds. */
const exportTimeoutMs = 3_000
/** How often a failing export is told of. */
const toldEveryMs = 600_000

/** Sends spans to the collector that the environment names, a batch every few seconds. */
export class OtlpSpans {
  readonly #provider: TracerProvider
  readonly #tracer: Tracer

  constructor({ version, log }: OtlpOptions) {
    // What the environment says of us (OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES) goes before.
    const resource = defaultResource()
      .merge(resourceFromAttributes({ [ATTR_SERVICE_NAME]: 'inference-studio', [ATTR_SERVICE_VERSION]: version }))
      .merge(detectResources({ detectors: [envDetector] }))
    const timeoutSet = 'OTEL_EXPORTER_OTLP_TIMEOUT' in process.env || 'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT' in process.env
    const exporter = new OTLPTraceExporter(timeoutSet ? {} : { timeoutMillis: exportTimeoutMs })
    this.#provider = new TracerProvider({
      resource,
      spanProcessors: [new BatchSpanProcessor({ exporter: telling(exporter, log) })],
    })
    this.#tracer = this.#provider.getTracer('inference-studio', version)
  }

  ended({ row, server }: SpannedRequest): void {
    const { name, kind, start, end, attributes, error } = spanOf(row, server)
    const span = this.#tracer.startSpan(name, { kind, startTime: start, attributes }, ROOT_CONTEXT)
    if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: error })
    span.end(end)
  }

  /** Sends what is left, for as long as one export may take. */
  async close(): Promise<void> {
    // A collector that fails was told of; the spans are gone.
    await this.#provider.shutdown().catch(() => undefined)
  }
}

/** The SDK drops spans that it can't send and says so to nobody: this says it, now and then. */
function telling(exporter: SpanExporter, log: OtlpOptions['log']): SpanExporter {
  let toldAt = Number.NEGATIVE_INFINITY
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.error !== undefined && performance.now() - toldAt > toldEveryMs) {
          toldAt = performance.now()
          log('warn', `OpenTelemetry: ${spans.length} spans could not be sent: ${result.error.message}`)
        }
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  }
}

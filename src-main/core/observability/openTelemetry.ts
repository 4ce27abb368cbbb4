import type { OtlpOptions, OtlpSpans, SpannedRequest } from './otlp.ts'
import type { ServerAddress } from './server.ts'
import { LoadedLater, type MetricsSink } from './sink.ts'

/** Where spans go, if anywhere. */
export interface SpanExport extends MetricsSink {
  /** Sends what is left; waits no longer than one export may take. */
  close(): Promise<void>
}

/**
 * OpenTelemetry, only where the environment names a collector (`OTEL_EXPORTER_OTLP_ENDPOINT` or
 * `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`), else null. Its packages are loaded with the first request; a failure to load or to
 * send is logged and disturbs nothing.
 */
export function openTelemetry(
  env: NodeJS.ProcessEnv,
  options: OtlpOptions & { server(): ServerAddress | null },
): SpanExport | null {
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT
  if (!endpoint || env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none') return null
  if (!URL.canParse(endpoint)) {
    options.log('warn', 'OpenTelemetry: the endpoint of the environment is no address. No spans are sent.')
    return null
  }
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL ?? 'http/json'
  if (protocol !== 'http/json') {
    options.log('warn', `OpenTelemetry: spans are sent as http/json; ${protocol.slice(0, 40)} is not spoken here.`)
  }
  const spans = new LoadedLater<SpannedRequest, OtlpSpans | Nowhere>(async () => {
    try {
      const { OtlpSpans: Loaded } = await import('./otlp.ts')
      return new Loaded(options)
    } catch (thrown) {
      options.log('warn', `OpenTelemetry could not start, no spans are sent: ${String(thrown)}`)
      return new Nowhere()
    }
  })
  // Rows are told a moment after their end, when the connection may be closed already.
  let server: ServerAddress | null = null
  return {
    ended(row) {
      server = options.server() ?? server
      spans.ended({ row, server })
    },
    close: async () => {
      await (await spans.loaded)?.close()
    },
  }
}

class Nowhere {
  ended(): void {
    // Told of once, when it could not start.
  }
  async close(): Promise<void> {
    // Nothing is open.
  }
}

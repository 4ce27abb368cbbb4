import type { OtlpOptions, OtlpSpans, SpannedRequest } from './otlp.ts'
import { LazySink, type MetricsSink } from './sink.ts'
import type { ServerAddress } from './spans.ts'

/** Host and port of a base address. */
export function serverOf(baseUrl: string): ServerAddress {
  const { hostname, port, protocol } = new URL(baseUrl)
  return { address: hostname, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) }
}

/** Sends spans to a collector. */
export interface SpanExport extends MetricsSink {
  /** Sends the remaining spans. Takes no longer than one export may take. */
  close(): Promise<void>
}

/**
 * Exports spans by OpenTelemetry if the environment names a collector (`OTEL_EXPORTER_OTLP_ENDPOINT` or
 * `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`), else returns null. The packages are loaded with the first request. A failure to load or to send is
 * logged and affects nothing else.
 */
export function openTelemetry(
  env: NodeJS.ProcessEnv,
  options: OtlpOptions & { server(): ServerAddress | null },
): SpanExport | null {
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT
  if (!endpoint || env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none') return null
  if (!URL.canParse(endpoint)) {
    options.log('warn', 'OpenTelemetry: the endpoint in the environment is not a URL. No spans are sent.')
    return null
  }
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL ?? 'http/json'
  if (protocol !== 'http/json') {
    options.log(
      'warn',
      `OpenTelemetry: spans are sent as http/json, because ${protocol.slice(0, 40)} is not supported.`,
    )
  }
  const spans = new LazySink<SpannedRequest, OtlpSpans | NoExport>(async () => {
    try {
      const { OtlpSpans: Loaded } = await import('./otlp.ts')
      return new Loaded(options)
    } catch (thrown) {
      options.log('warn', `OpenTelemetry could not start, no spans are sent: ${String(thrown)}`)
      return new NoExport()
    }
  })
  // Rows are reported a moment after their request has ended, when the connection may be closed already.
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

class NoExport {
  ended(): void {
    // The failure to load was logged once.
  }
  async close(): Promise<void> {
    // Nothing is open.
  }
}

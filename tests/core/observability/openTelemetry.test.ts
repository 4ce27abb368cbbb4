import { afterEach, describe, expect, it, vi } from 'vitest'
import { openTelemetry } from '../../../src-main/core/observability/openTelemetry.ts'
import { closeAfterEach } from '../../helpers/closers.ts'
import { startCollector } from './collector.ts'
import { row } from './rows.ts'

const closers = closeAfterEach()
afterEach(() => vi.unstubAllEnvs())

const collector = async (...answer: Parameters<typeof startCollector>) => {
  const started = await startCollector(...answer)
  closers.push(started.close)
  return started
}

const server = { address: 'api.example.com', port: 443 }

function exporting(env: Record<string, string>) {
  for (const [name, text] of Object.entries(env)) vi.stubEnv(name, text)
  const logged: string[] = []
  const log = (_level: string, line: string) => void logged.push(line)
  return { spans: openTelemetry(process.env, { version: '1.2.3', server: () => server, log }), logged }
}

describe('OpenTelemetry', () => {
  it('is off, and loads nothing, without an endpoint in the environment', () => {
    const options = { version: '1', server: () => null, log: () => undefined }
    expect(openTelemetry({}, options)).toBeNull()
    const set = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
    expect(openTelemetry({ ...set, OTEL_SDK_DISABLED: 'true' }, options)).toBeNull()
    expect(openTelemetry({ ...set, OTEL_TRACES_EXPORTER: 'none' }, options)).toBeNull()
  })

  it('sends each request as one span of its own trace, with its own times, to the collector of the environment', async () => {
    const { url, got, spans: received } = await collector()
    const { spans, logged } = exporting({
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=studio',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    })
    spans?.ended(row({ stream: true }))
    spans?.ended(row({ status: 503, problem: { kind: 'unavailable', message: 'Words of the service.' } }))
    await spans?.close()
    expect(got.map(({ path }) => path)).toEqual(['/v1/traces'])
    expect(got[0]?.headers).toMatchObject({ 'x-team': 'studio', 'content-type': 'application/json' })
    expect(got[0]?.body.resourceSpans[0]?.resource.attributes).toMatchObject({
      'service.name': 'inference-studio',
      'service.version': '1.2.3',
      'deployment.environment.name': 'test',
    })
    const [good, bad] = received()
    expect(good).toMatchObject({
      name: 'chat writer-small',
      kind: 3,
      startTimeUnixNano: `${Date.UTC(2026, 2, 1, 12)}000000`,
      endTimeUnixNano: `${Date.UTC(2026, 2, 1, 12) + 1_200}000000`,
      status: { code: 0 },
    })
    expect(good?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'writer-small',
      'gen_ai.request.stream': true,
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 34,
      'http.response.status_code': 200,
      'server.address': 'api.example.com',
    })
    expect(bad?.status).toEqual({ code: 2, message: '503' })
    expect(bad?.traceId).not.toBe(good?.traceId)
    expect(good?.parentSpanId ?? '').toBe('')
    expect(JSON.stringify(got)).not.toContain('Words of the service')
    expect(logged).toEqual([])
  })

  it('a request that is reported after the connection was closed has the server of the request before it', async () => {
    const { url, spans: received } = await collector()
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', url)
    const servers = [server, null]
    const options = { version: '1', server: () => servers.shift() ?? null, log: () => undefined }
    const spans = openTelemetry(process.env, options)
    spans?.ended(row())
    spans?.ended(row())
    await spans?.close()
    expect(received().map(({ attributes }) => attributes['server.address'])).toEqual([server.address, server.address])
  })

  it('the environment’s own address of traces and name of the service go before', async () => {
    const { url, got } = await collector()
    const { spans } = exporting({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/here`,
      OTEL_SERVICE_NAME: 'my-studio',
    })
    spans?.ended(row())
    await spans?.close()
    expect(got[0]?.path).toBe('/here')
    expect(got[0]?.body.resourceSpans[0]?.resource.attributes['service.name']).toBe('my-studio')
  })

  it('a dead collector is logged once, and delays the end only briefly', async () => {
    const { spans, logged } = exporting({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })
    for (let number = 0; number < 1_500; number++) spans?.ended(row())
    const from = performance.now()
    await spans?.close()
    expect(performance.now() - from).toBeLessThan(12_000)
    expect(logged).toHaveLength(1)
    expect(logged[0]).toMatch(/^OpenTelemetry: \d+ spans could not be sent: /)
  })

  it('a collector that never answers does not hold up the end', { tags: 'long' }, async () => {
    const { url } = await collector(() => undefined)
    const { spans, logged } = exporting({ OTEL_EXPORTER_OTLP_ENDPOINT: url })
    spans?.ended(row())
    const from = performance.now()
    await spans?.close()
    expect(performance.now() - from).toBeLessThan(10_000)
    expect(logged).toHaveLength(1)
  })

  it('says when the environment asks for an unsupported protocol', () => {
    const { spans, logged } = exporting({ OTEL_EXPORTER_OTLP_ENDPOINT: 'no address' })
    expect(spans).toBeNull()
    expect(logged[0]).toContain('is not a URL')
    const grpc = exporting({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4317',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    })
    expect(grpc.logged).toEqual(['OpenTelemetry: spans are sent as http/json, because grpc is not supported.'])
  })
})

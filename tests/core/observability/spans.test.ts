import { describe, expect, it } from 'vitest'
import { serverOf } from '../../../src-main/core/observability/openTelemetry.ts'
import { spanOf } from '../../../src-main/core/observability/spans.ts'
import { row } from './rows.ts'

const server = { address: 'api.example.com', port: 443 }

describe('a request as a span', () => {
  it('follows the conventions for inference', () => {
    const span = spanOf(row({ stream: true, tokensCached: 5, attempts: 2, queuedMs: 250 }), server)
    expect(span).toMatchObject({
      name: 'chat writer-small',
      kind: 2,
      start: Date.UTC(2026, 2, 1, 12),
      end: Date.UTC(2026, 2, 1, 12) + 1_200,
      error: null,
    })
    expect(span.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.output.type': 'text',
      'gen_ai.request.model': 'writer-small',
      'gen_ai.request.stream': true,
      'gen_ai.response.time_to_first_chunk': 0.04,
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 34,
      'gen_ai.usage.cache_read.input_tokens': 5,
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'http.request.resend_count': 1,
      'url.path': '/v1/chat/completions',
      'server.address': 'api.example.com',
      'server.port': 443,
      'inference_studio.requester': 'app',
      'inference_studio.app.id': 'tool-1',
      'inference_studio.app.name': 'editor',
      'inference_studio.state': 'done',
      'inference_studio.queue_wait': 0.25,
      'inference_studio.tokens_are': 'measured',
      'inference_studio.cost_is': 'estimated',
      'inference_studio.cost_sc': '0.000000123',
      'inference_studio.request_id': 'req_1',
    })
  })

  it.each([
    ['completions', 'text_completion m', 'text'],
    ['speech', 'generate_content m', 'speech'],
    ['transcription', 'generate_content m', 'text'],
    ['images', 'generate_content m', 'image'],
  ] as const)('%s is %s', (endpoint, name, output) => {
    const span = spanOf(row({ endpoint, model: 'm' }), server)
    expect(span.name).toBe(name)
    expect(span.attributes['gen_ai.output.type']).toBe(output)
  })

  it('what is no inference is a plain HTTP span', () => {
    const who = { kind: 'studio', feature: 'account' } as const
    const span = spanOf(row({ endpoint: 'account', method: 'GET', path: '/v1/usage', model: null, who }), null)
    expect(span.name).toBe('GET')
    expect(Object.keys(span.attributes).filter((name) => name.startsWith('gen_ai.'))).toEqual([])
    expect(span.attributes).toMatchObject({ 'url.path': '/v1/usage', 'inference_studio.requester': 'studio.account' })
    expect(span.attributes).not.toHaveProperty(['server.address'])
  })

  it('names the class of an error, and never its words', () => {
    const message = 'Invalid prompt: SECRET'
    const errors = [
      [row({ status: 429, problem: { kind: 'rate_limited', message } }), '429'],
      [row({ status: 402, state: 'refused', problem: { kind: 'budget_exceeded', message } }), '402'],
      [row({ status: null, state: 'failed', problem: { kind: 'connect_failed', message } }), 'connect_failed'],
      [row({ status: 200, state: 'cut', problem: { kind: 'connection_lost', message } }), 'connection_lost'],
      [row({ status: null, state: 'unknown', problem: null }), 'unknown'],
    ] as const
    for (const [ended, type] of errors) {
      const span = spanOf(ended, server)
      expect(span.error).toBe(type)
      expect(span.attributes['error.type']).toBe(type)
      expect(JSON.stringify(span)).not.toContain('SECRET')
    }
  })

  it('a cancelled request is no error', () => {
    const span = spanOf(row({ status: null, state: 'cancelled', cancelledBy: 'person', durationMs: null }), server)
    expect(span.error).toBeNull()
    expect(span.end).toBe(span.start)
    expect(span.attributes['inference_studio.cancelled_by']).toBe('person')
  })

  it('knows the port that an address leaves out', () => {
    expect(serverOf('https://api.example.com/base')).toEqual(server)
    expect(serverOf('http://127.0.0.1:4000')).toEqual({ address: '127.0.0.1', port: 4000 })
    expect(serverOf('http://inference.internal')).toEqual({ address: 'inference.internal', port: 80 })
  })
})

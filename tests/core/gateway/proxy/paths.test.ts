// @isolated It starts processes or replaces what belongs to the process.
import { spawn } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { checkTarget } from '../../../../src-main/core/gateway/proxy/localPath.ts'
import { parseBaseAddress } from '../../../../src-main/core/upstream/address.ts'
import { endpointOf } from '../../../../src-main/core/upstream/request/endpoint.ts'
import type { Endpoint } from '../../../../src-preload/contract/requests.ts'
import { appKey, ask, jsonWithKey, withKey } from '../../../helpers/appRequest.ts'
import { eventually } from '../../../helpers/eventually.ts'
import { temporaryFolder } from '../../../helpers/folders.ts'
import { speak } from '../../../helpers/gate.ts'
import { apiKey, type FarEnd, type Gateway, type GatewayOptions, openFarEnd } from '../../../helpers/gateway.ts'
import { needs } from '../../../helpers/programs.mjs'
import { testGateways } from '../../../helpers/testGateways.ts'

const { beforeService, beforeUrl } = testGateways()

const inference: Record<string, Endpoint> = {
  '/v1/chat/completions': 'chat',
  '/v1/completions': 'completions',
  '/v1/audio/speech': 'speech',
  '/v1/audio/transcriptions': 'transcription',
  '/v1/images/generations': 'images',
}

// Changes that servers make to a path before routing. A real server makes some of these in some order. The model tries each subset,
// repeatedly until the path no longer changes.
const decodeOnce = (path: string): string =>
  path.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'))
const withoutControls = (path: string): string =>
  Array.from(path, (one) => (one > '\x1f' && one !== '\x7f' ? one : '')).join('')
const steps: ((path: string) => string)[] = [
  decodeOnce,
  (path) => path.toLowerCase(),
  (path) => path.normalize('NFKC').toUpperCase().toLowerCase(),
  (path) => path.replace(/\p{Default_Ignorable_Code_Point}/gu, ''),
  // Path parameters: cut from each segment (servlet containers), or from the first on.
  (path) => path.replace(/;[^/]*/g, ''),
  (path) => path.replace(/[;?#].*$/s, ''),
  (path) => path.replace(/\\/g, '/'),
  (path) => path.replace(/\/{2,}/g, '/'),
  // Trailing dots and spaces of a segment (Windows), spaces around a slash, control characters anywhere.
  (path) => path.replace(/(?<=[^/.])[. ]+(?=\/|$)/g, ''),
  (path) => withoutControls(path.replace(/[\s\x85]*(\/|$)[\s\x85]*/g, '$1')),
  (path) => {
    const kept: string[] = []
    for (const segment of path.split('/')) {
      if (segment === '..') kept.pop()
      else if (segment !== '.') kept.push(segment)
    }
    return `/${kept.join('/')}`.replace(/^\/+/, '/')
  },
  (path) => (path.length > 1 ? path.replace(/\/+$/, '') : path),
]

/** Every path by which a server with the chosen steps may route. */
function readings(path: string, chosen: readonly number[]): Set<string> {
  const found = new Set([path])
  let now = path
  for (let round = 0; round < 6; round += 1) {
    const before = now
    for (const at of chosen) {
      now = steps[at]?.(now) ?? now
      found.add(now)
    }
    if (now === before) break
  }
  return found
}

const classified = (method: string, target: string): Endpoint | null => {
  const checked = checkTarget(method, target)
  return 'path' in checked ? endpointOf(method, checked.path) : null
}

describe('the path of a request', () => {
  /** A path to an inference endpoint, spelled in a way that some server maps back to it. */
  const character = (plain: string): fc.Arbitrary<string> => {
    const hex = plain.charCodeAt(0).toString(16).padStart(2, '0')
    return fc.oneof(
      { weight: 40, arbitrary: fc.constant(plain) },
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          `%${hex}`,
          `%${hex.toUpperCase()}`,
          `%25${hex}`,
          `%2525${hex}`,
          plain.toUpperCase(),
          `%${plain.toUpperCase().charCodeAt(0).toString(16)}`,
          encodeURIComponent(String.fromCharCode(plain.charCodeAt(0) + 0xfee0)),
        ),
      },
    )
  }
  const noise = fc.oneof(
    { weight: 12, arbitrary: fc.constant('') },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ...[
          '/',
          '//',
          '/.',
          '/./',
          '/x/..',
          '/x/%2e%2e',
          '/..;',
          '/x/..;/',
          '/%2e',
          '%2f',
          '%5c',
          '\\',
          ';',
          ';a=b',
          '%3b',
          '%3Ba',
        ],
        ...[
          '?',
          '%3f',
          '%3Fx',
          '#',
          '%23',
          '.',
          '..',
          '%2e',
          '%20',
          '%09',
          '%00',
          '%0a',
          ' ',
          '%25',
          '%',
          '\t',
          '%c0%af',
          '%e2%80%8b',
        ],
        // Characters that a server may read as white space, as nothing, or as "/", "\\", ".", "..", ";", "?", "#" or "%".
        ...['%c2%85', '%c2%a0', '%e3%80%80', '%ef%bb%bf', '%c2%ad'],
        ...['%ef%bc%8f', '%ef%bc%bc', '%ef%bc%8e', '/%e2%80%a5', '/x/%ef%bc%8e%ef%bc%8e', '%ef%bc%9bx', '%ef%bc%9f'],
        ...['%ef%bc%83', '%ef%bc%852e'],
      ),
    },
  )
  const spelling = fc
    .constantFrom(...Object.keys(inference))
    .chain((path) =>
      fc
        .tuple(
          ...path.split('').flatMap((plain) => [noise, plain === '/' ? fc.constant('/') : character(plain)]),
          noise,
          noise,
        )
        .map((parts) => parts.join('')),
    )
  const chosen = fc.shuffledSubarray(
    steps.map((_, at) => at),
    { minLength: 1 },
  )

  it('that any server may read as an inference endpoint is refused or counted as that endpoint [GEN-05]', () => {
    const seen = { refused: 0, counted: 0, mapped: 0 }
    fc.assert(
      fc.property(spelling, chosen, fc.constantFrom('POST', 'PUT', 'GET'), (target, order, method) => {
        const as = classified(method, target)
        if (as === null) seen.refused += 1
        for (const reading of readings(target.split('?')[0] ?? target, order)) {
          const meant = inference[reading]
          if (meant === undefined) continue
          seen.mapped += 1
          if (as === null) continue
          seen.counted += 1
          expect([target, reading, as]).toEqual([target, reading, meant])
        }
      }),
      { numRuns: 15_000 },
    )
    // The test would prove nothing if all were refused, or if no spelling reached an endpoint.
    expect(seen.counted).toBeGreaterThan(300)
    expect(seen.refused).toBeGreaterThan(300)
    expect(seen.mapped).toBeGreaterThan(seen.counted)
  })

  const spellings: [spelling: string, words: RegExp][] = [
    ['/v1/ch%61t/completions', /%61/],
    ['/v1/%63%68%61%74/completions', /%63/],
    ['/v1/chat/completion%73', /%73/],
    ['/v1/chat/%43ompletions', /%43/],
    ['/v1/chat%2Fcompletions', /%2F/],
    ['/v1/chat%5Ccompletions', /%5C/],
    ['/v1/chat/%2e/completions', /%2e/],
    ['/v1/chat/x%2E%2E/completions', /%2E/],
    ['/v1/chat;a=b/completions', /;/],
    ['/v1/chat/completions;', /;/],
    ['/v1/chat/completions;jsessionid=1', /;/],
    ['/v1/chat/completions%3b', /%3b/],
    ['/v1/chat/completions%3Bx', /%3B/],
    ['/v1/chat/completions%3Fx', /%3F/],
    ['/v1/chat/completions%23x', /%23/],
    ['/v1/ch%2561t/completions', /%25/],
    ['/v1/chat%252Fcompletions', /%25/],
    ['/v1//chat/completions', /empty segment/],
    ['/v1/chat//completions', /empty segment/],
    ['/v1/chat/completions//', /empty segment/],
    ['/v1/./chat/completions', /dot/],
    ['/v1/x/../chat/completions', /dot/],
    ['/v1/x/..;/chat/completions', /;/],
    ['/v1/..;x=1/admin', /;/],
    ['/v1/..%3b/admin', /%3b/],
    ['/v1/chat/completions.', /ends with a dot/],
    ['/v1/chat./completions', /ends with a dot/],
    ['/v1/chat/completions%20', /%20/],
    ['/v1/chat/completions%09', /%09/],
    ['/v1/chat/completions%00', /%00/],
    ['/v1/chat/completions%7f', /%7f/],
    ['/v1/chat/completions%c2%85', /control character/],
    ['/v1/chat/completions%c2%a0', /space/],
    ['/v1/chat/%e3%80%80completions', /space/],
    ['/v1/chat%ef%bc%8fcompletions', /%EF%BC%8F/],
    ['/v1/chat%ef%bc%bccompletions', /%EF%BC%BC/],
    ['/v1/chat/completions%ef%bc%9bx', /%EF%BC%9B/],
    ['/v1/chat/completions%ef%bc%9fx', /%EF%BC%9F/],
    ['/v1/chat/completions%ef%bc%83x', /%EF%BC%83/],
    ['/v1/ch%ef%bc%8561t/completions', /%EF%BC%85/],
    ['/v1/x/%ef%bc%8e%ef%bc%8e/chat/completions', /dot segment/],
    ['/v1/x/%e2%80%a5/chat/completions', /dot segment/],
    ['/v1/x/.%e2%80%8b./chat/completions', /dot segment/],
    ['/v1/chat/completions%ef%bc%8e', /ends with a dot/],
    ['/v1/chat/completions%c0%ae', /UTF-8/],
    ['/v1/chat/completions%ff', /UTF-8/],
    ['/v1/chat/completions%4', /%/],
    ['/v1/chat/completions%u0061', /%/],
    ['/v1/chat\\completions', /character/],
    ['/v1/chat/completions|', /character/],
  ]

  it.each(spellings)(
    '%s is refused with a message that names what is wrong, and nothing reaches the service',
    async (path, words) => {
      const { far, gateway } = await beforeService((_request, response) => response.end('{}'))
      for (const method of ['POST', 'GET']) {
        const line = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${gateway.proxy.port}\r\n`
        const heard = await speak(
          gateway.proxy.port,
          `${line}Authorization: Bearer ${appKey}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
        )
        expect(heard).toMatch(/^HTTP\/1\.1 400 /)
        const { error } = JSON.parse(heard.slice(heard.indexOf('\r\n\r\n') + 4)) as { error: Record<string, string> }
        expect(error).toMatchObject({
          type: 'studio_refused',
          code: 'path_refused',
          message: expect.stringMatching(words),
        })
      }
      // The client of the service refuses it too.
      await expect(
        gateway.upstream.forward({ path, body: null, headers: [], trace: { logBodies: false } } as never),
      ).rejects.toMatchObject({ kind: 'bad_input', message: expect.stringMatching(words) })
      expect(far.requests).toEqual([])
    },
  )

  it.each([
    ['POST /v1/CHAT/completions', 'chat'],
    ['POST /v1/Chat/Completions/', 'chat'],
    ['GET /V1/CHAT/COMPLETIONS', 'chat'],
    ['POST /v1/%EF%BD%83hat/completions', 'chat'],
    ['POST /v1/chat/completion%C5%BF', 'chat'],
    ['POST /v1/ch%C2%ADat/completions%E2%80%8B', 'chat'],
    ['POST /v1/audio/%EF%BB%BFspeech', 'speech'],
    ['POST /v1/Audio/Speech', 'speech'],
    ['PUT /v1/IMAGES/generations', 'images'],
    ['GET /v1/Models', 'models'],
    ['GET /v1/models/a-b.c%C3%A9', 'models'],
    ['HEAD /v1/models', 'models'],
    ['GET /v1/keys/', 'account'],
    ['GET /v1/keys/current/usage/daily', 'account'],
    ['POST /v1/models/x', 'other'],
    ['POST /v1/models', 'other'],
    ['PUT /v1/usage', 'other'],
    ['DELETE /v1/keys/1', 'other'],
    ['POST /v1/rate-limit', 'other'],
    ['POST /v1/embeddings', 'other'],
    ['GET /files/a%20b.png', 'files'],
    ['GET /files/%E5%9B%B3%E3%80%80%EF%BC%88%E4%B8%80%EF%BC%89.png', 'files'],
    ['GET /v1/images/a.png', 'files'],
    ['POST /v1/images/a.png', 'other'],
  ] as const)('%s counts as %s', (request, endpoint) => {
    const [method = '', path = ''] = request.split(' ')
    expect(classified(method, path)).toBe(endpoint)
  })

  it('is checked without its query, which is passed unchanged', () => {
    const odd = '?a=//;/../%2e%61%3b&next=/v1/./x;y'
    expect(checkTarget('POST', `/v1/chat/completions${odd}`)).toEqual({ path: `/v1/chat/completions${odd}` })
    expect(classified('POST', `/v1/chat/completions${odd}`)).toBe('chat')
  })

  it.each([
    ...['/..;/admin', '/a/..;x=1/b', '/..%3b/admin', '/%2e%2e%3bx/admin', '/.. /x', '/..%20/x', '/a/..;'],
    ...['/%ef%bc%8e%ef%bc%8e/admin', '/%e2%80%a5/admin', '/a/.%e2%80%8b./b', '/%2e%2e%c2%a0/x'],
  ])('below a base address never leaves it by %s, in an address of the service either [GEN-01]', (path) => {
    const base = parseBaseAddress('https://api.example.com/team/a', { allowInsecure: false })
    expect(base.covers(base.url + path)).toBe(false)
    expect(base.covers(`${base.url}/files/a;b..c/x.png`)).toBe(true)
  })
})

describe('a key with limits', () => {
  const limitedTo = (options: GatewayOptions) => beforeService((_request, response) => response.end('{}'), options)
  const post = (
    gateway: Gateway,
    path: string,
    body: string | undefined,
    more: Record<string, string> = {},
    method = 'POST',
  ) =>
    ask(`${gateway.url}${path}`, {
      method,
      headers: { ...jsonWithKey, 'content-length': String(body?.length ?? 0), ...more },
      ...(body === undefined ? {} : { body }),
    })

  it.each(['/embeddings', '/models/small', '/anything/else'])(
    'to some models passes %s with one of them, and with nothing else',
    async (path) => {
      const { far, gateway } = await limitedTo({ app: { models: ['small'] } })
      expect((await post(gateway, path, '{"model":"small","input":"x"}')).status).toBe(200)
      const refused: [body: string | undefined, headers: Record<string, string>][] = [
        ['{"model":"large","input":"x"}', {}],
        ['{"input":"x"}', {}],
        ['{"model":"small","model":"large"}', {}],
        ['{"model":"small","MODEL":"large"}', {}],
        ['{"model":"small","mod\\u0065l":"large"}', {}],
        ['["model","small"]', {}],
        ['model=small', { 'content-type': 'application/x-www-form-urlencoded' }],
        ['{"model":"small","a":"&model=large&b="}', { 'content-type': 'application/x-www-form-urlencoded' }],
        ['{"model":"small"}', { 'content-type': 'multipart/form-data; boundary=b' }],
        ['{"model":"small"}', { 'content-type': 'application/json; charset=utf-16' }],
        ['{"model":"small"}', { 'content-encoding': 'deflate' }],
        [undefined, {}],
      ]
      for (const method of ['POST', 'PUT', 'PATCH']) {
        for (const [body, headers] of refused) {
          const answer = await post(gateway, path, body, headers, method)
          expect([method, body, headers, Math.floor(answer.status / 100)]).toEqual([method, body, headers, 4])
          expect(answer.headers['x-studio-answer']).toMatch(/^studio_(?:limit|refused)$/)
        }
      }
      expect((await post(gateway, path, '{"model":"large"}', {}, 'DELETE')).status).toBe(403)
      expect(far.requests.map(({ body }) => body.toString())).toEqual(['{"model":"small","input":"x"}'])
    },
  )

  it('to some models must name its model in the body, because servers may also read the query', async () => {
    const { far, gateway } = await limitedTo({ app: { models: ['small'] } })
    for (const query of [
      '?model=large',
      '?x=1&Model=large',
      '?mod%65l=large',
      '?model%5B%5D=large',
      '?a;model=large',
    ]) {
      const answer = await post(gateway, `/chat/completions${query}`, '{"model":"small"}')
      expect([query, answer.status]).toEqual([query, 403])
      expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code: 'model_not_allowed' } })
    }
    expect((await post(gateway, '/chat/completions?model=small&api-version=1', '{"model":"small"}')).status).toBe(200)
    expect((await ask(`${gateway.url}/models?model=large`, { headers: withKey })).status).toBe(200)
    expect(far.requests).toHaveLength(2)
  })

  it('to some models may name no other in a field beside the model, in the path or in a header', async () => {
    const { far, gateway } = await limitedTo({ app: { models: ['small', 'tiny'] } })
    const refused = [
      '"models":["small","large"]',
      '"models":"large"',
      '"Models":["large"]',
      '"mod\\u0065ls":["large"]',
      '"route":"automatic"',
      '"context_window_fallback_dict":{"small":"large"}',
      '"user_config":{"model_list":[]}',
      '"plugins":[{"id":"auto-router","allowed_models":["large"]}]',
      '"lora_path":"large"',
      `"${'context_window_fallback_dict'.replace(/./g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`)}":{"small":"large"}`,
      `"${'x'.repeat(400)}fallbacks":["large"]`,
      '"fallbacks":[{"small":["large"]}]',
      '"context_window_fallbacks":["large"]',
      '"engine":"large"',
      '"deployment_id":"large"',
      '"preset":"work"',
      '"extra_body":{"models":["large"]}',
      `"models":["${'x'.repeat(100_000)}"]`,
      `${Array.from({ length: 40 }, (_, at) => `"model${at}":"small"`).join()}`,
    ]
    for (const field of refused) {
      for (const body of [`{"model":"small",${field},"messages":[]}`, `{${field},"messages":[],"model":"small"}`]) {
        const answer = await post(gateway, '/chat/completions', body)
        expect([field.slice(0, 60), answer.status]).toEqual([field.slice(0, 60), 403])
        expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code: 'model_not_allowed' } })
      }
    }
    for (const path of [
      '/engines/large/completions',
      '/engines/large',
      '/engines/small/models/large/completions',
      '/models/small/deployments/large/chat/completions',
      '/chat/completions?models=large',
    ]) {
      expect([path, (await post(gateway, path, '{"model":"small"}')).status]).toEqual([path, 403])
    }
    // Models have methods in Gemini's API only, which has no such one.
    expect((await post(gateway, '/models/large:generate', '{"model":"small"}')).status).toBe(404)
    expect(far.requests).toHaveLength(0)
    const allowed =
      '{"model":"small","models":["small","tiny",""],"route":"fallback","fallbacks":[],"modalities":["text"],"exploration":1,"messages":[]}'
    const headers = { 'x-model': 'large', 'helicone-fallbacks': '["large"]', 'x-portkey-config': 'pc', 'x-title': 'T' }
    expect((await post(gateway, '/chat/completions', allowed, headers)).status).toBe(200)
    expect(far.requests[0]?.body.toString()).toBe(allowed)
    expect(Object.keys(far.requests[0]?.headers ?? {}).filter((name) => name in headers)).toEqual(['x-title'])
    // The translated APIs send only what they know.
    for (const path of ['/responses', '/messages']) {
      const body = {
        model: 'small',
        models: ['large'],
        route: 'fallback',
        input: 'x',
        max_tokens: 5,
        messages: [{ role: 'user', content: 'x' }],
      }
      await post(gateway, path, JSON.stringify(body))
      expect(far.requests.at(-1)?.body.toString()).not.toContain('large')
    }
    gateway.change({ models: null })
    expect((await post(gateway, '/chat/completions', `{"model":"small",${refused[0]}}`, headers)).status).toBe(200)
    expect(far.requests.at(-1)?.headers).toMatchObject(headers)
  })

  it('to a budget or to tokens is checked at every path with a body', async () => {
    const { far, gateway } = await limitedTo({ app: { tokensPerMinute: 1000 } })
    const long = JSON.stringify({ model: 'any', input: 'word '.repeat(5000) })
    expect((await post(gateway, '/anything', long)).status).toBe(429)
    expect((await post(gateway, '/responses', long)).status).toBe(429)
    expect((await post(gateway, '/embeddings', '{"model":"any","input":"x"}')).status).toBe(200)
    expect((await post(gateway, '/embeddings', 'plain words')).status).toBe(400)
    gateway.change({ tokensPerMinute: null, budgetTotal: '0' })
    expect((await post(gateway, '/embeddings', '{"model":"any","input":"x"}')).status).toBe(402)
    expect(far.requests).toHaveLength(1)
  })

  it('without limits may send anything to any path', async () => {
    const { far, gateway } = await limitedTo({})
    expect((await post(gateway, '/anything', 'plain words')).status).toBe(200)
    expect((await post(gateway, '/anything?model=large', undefined)).status).toBe(200)
    expect(far.requests).toHaveLength(2)
  })

  it('is not bypassed by a header with another path or method', async () => {
    const { far, gateway } = await limitedTo({ app: { endpoints: ['other', 'models'] } })
    const headers = {
      'X-Original-URL': '/v1/chat/completions',
      'X-Rewrite-URL': '/v1/chat/completions',
      'X-HTTP-Method-Override': 'POST',
      'X-HTTP-Method': 'POST',
      'X-Method-Override': 'POST',
      'X-Custom': 'kept',
    }
    await ask(`${gateway.url}/models`, { headers: { ...withKey, ...headers } })
    expect(far.requests[0]?.headers).toHaveProperty('x-custom')
    for (const name of Object.keys(headers).slice(0, 5)) {
      expect(far.requests[0]?.headers).not.toHaveProperty(name.toLowerCase())
    }
  })
})

describe('behind a real nginx that normalises paths', needs('nginx'), () => {
  let far: FarEnd
  let nginx: { url: string; close(): Promise<void> }
  beforeAll(async () => {
    far = await openFarEnd((_request, response) => response.end('{}'))
    nginx = await startNginx(far.url)
    far.requests.length = 0
  })
  afterAll(async () => {
    await nginx.close()
    await far.close()
  })
  afterEach(() => {
    far.requests.length = 0
  })

  /** Twenty spellings of one endpoint. `nginx`: the spellings for which nginx requests a chat. */
  const twenty = [
    ...['/v1/ch%61t/completions', '/v1/%63hat/completions', '/v1/chat/completion%73', '/v1/c%68at/c%6Fmpletions'],
    ...['/v1/chat%2Fcompletions', '/v1/chat%2fcompletions', '/v1/chat/./completions', '/v1/./chat/completions'],
    ...[
      '/v1/x/../chat/completions',
      '/v1/%2e/chat/completions',
      '/v1/x/%2e%2e/chat/completions',
      '/v1//chat/completions',
    ],
    ...['/v1/chat//completions', '//v1/chat/completions', '/v1/CHAT/completions', '/v1/chat/Completions'],
    ...['/v1/chat;a=b/completions', '/v1/chat/completions;x', '/v1/chat/completions%3b', '/v1/x/..%2fchat/completions'],
  ]
  const raw = (url: string, path: string, key: string): Promise<string> => {
    const { port } = new URL(url)
    const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\n`
    return speak(
      Number(port),
      `${head}Content-Type: application/json\r\nContent-Length: 13\r\nConnection: close\r\n\r\n{"model":"m"}`,
    )
  }

  it('each of 20 spellings reaches the chat endpoint when it is sent to nginx itself', async () => {
    for (const path of twenty) await raw(nginx.url, path, apiKey)
    expect(far.requests.map(({ url }) => url)).toEqual(twenty.map(() => '/v1/chat/completions'))
  })

  it('an app with only the endpoint "other" reaches chat by none of 20 spellings', async () => {
    const gateway = await beforeUrl(nginx.url, { app: { endpoints: ['other'] } })
    for (const path of ['/v1/chat/completions', ...twenty]) {
      const heard = await raw(gateway.url, path, appKey)
      expect(`${path} ${heard}`).toMatch(/ HTTP\/1\.1 40[034] /)
      expect(heard).toMatch(/"code":"(?:path_refused|endpoint_not_allowed)"/)
    }
    expect(far.requests).toEqual([])
    await raw(gateway.url, '/v1/other/path', appKey)
    expect(far.requests).toHaveLength(1)
  })

  it('an app with a list of models reaches no other model by any of 20 spellings', async () => {
    const gateway = await beforeUrl(nginx.url, { app: { models: ['small'] } })
    for (const path of twenty) expect(await raw(gateway.url, path, appKey)).toMatch(/^HTTP\/1\.1 40[03] /)
    expect(far.requests).toEqual([])
  })
})

/** nginx, which decodes and merges paths and removes dot segments. Two lines of configuration also fold case and cut path parameters. */
async function startNginx(farUrl: string): Promise<{ url: string; close(): Promise<void> }> {
  const folder = temporaryFolder('studio-nginx-')
  const port = await freePort()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder};`)
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 64; }
http {
  access_log off; ${temporary.join(' ')}
  server {
    listen 127.0.0.1:${port};
    location / {
      rewrite "^([^;]*);[^/]*(.*)$" $1$2;
      rewrite "(?i)^/v1/chat/completions$" /v1/chat/completions break;
      rewrite ^ $uri break;
      proxy_pass ${farUrl};
    }
  }
}`,
  )
  const child = spawn('nginx', ['-c', join(folder, 'nginx.conf'), '-p', folder, '-e', join(folder, 'error.log')], {
    stdio: 'ignore',
  })
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  const url = `http://127.0.0.1:${port}`
  await eventually(() => ask(`${url}/started`))
  return {
    url,
    close: async () => {
      child.kill('SIGQUIT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

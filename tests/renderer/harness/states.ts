import { defaultSettings } from '../../../src-main/core/store/defaultSettings.ts'
import type { AppState } from '../../../src-preload/contract/app.ts'

const at = '2026-11-21T14:02:00.000Z'

const connected: AppState = {
  host: 'web',
  version: '0.1.0',
  dataDir: '/home/ada/.local/share/inference-studio',
  connection: {
    state: 'connected',
    profile: {
      id: 'p1',
      name: 'main account',
      kind: 'service',
      baseUrl: 'https://api.example.com',
      keyKept: 'keychain',
    },
    problem: null,
    checkedAt: at,
  },
  profiles: [
    {
      id: 'p1',
      name: 'main account',
      kind: 'service',
      baseUrl: 'https://api.example.com',
      keyKept: 'keychain',
      active: true,
      allowInsecure: false,
      accountId: null,
    },
  ],
  keychain: { available: true, reason: null },
  proxy: {
    state: 'on',
    baseUrl: 'http://127.0.0.1:8787/v1',
    port: 8787,
    wantedPort: 8787,
    apps: 3,
    active: 2,
    relayed: 1204,
    refused: 17,
    waiting: 0,
    heldUntil: null,
    refusedUnknown: { count: 0, since: null },
    refusals: [],
    problem: null,
    ollama: null,
  },
  bucket: {
    limit: 60,
    remaining: 19,
    resetSeconds: 18,
    banned: false,
    bannedUntil: null,
    asOf: new Date().toISOString(),
  },
  settings: { ...defaultSettings, chatModel: 'writer-large' },
}

/** States that are hard to reach in the real program, by name. */
export const states = {
  connected,
  first: {
    ...connected,
    connection: { state: 'none', profile: null, problem: null, checkedAt: null },
    keychain: { available: false, reason: 'The name org.freedesktop.secrets was not provided by any service.' },
    proxy: { ...connected.proxy, state: 'waiting', apps: 0, active: 0, relayed: 0, refused: 0 },
    bucket: null,
  },
  refused: {
    ...connected,
    connection: {
      ...connected.connection,
      state: 'failed',
      problem: {
        kind: 'unauthorized',
        message: 'The service refused the key.',
        status: 401,
        code: 'invalid_api_key',
        requestId: 'req_8f31c2',
        raw: '{"error":{"message":"Invalid credentials","type":"authentication_error","code":"invalid_api_key"}}',
      },
    },
    proxy: { ...connected.proxy, state: 'waiting', active: 0 },
    bucket: { ...(connected.bucket ?? never()), remaining: 1 },
  },
  held: {
    ...connected,
    proxy: { ...connected.proxy, waiting: 4, heldUntil: new Date(Date.now() + 23_000).toISOString() },
  },
  tried: {
    ...connected,
    proxy: {
      ...connected.proxy,
      refusedUnknown: { count: 17, since: new Date(Date.now() - 300 * 60_000).toISOString() },
      refusals: someRefusals(),
    },
    settings: { ...connected.settings, proxyOrigins: ['http://localhost:3000'] },
  },
  off: {
    ...connected,
    proxy: { ...connected.proxy, state: 'off', baseUrl: null, port: null, active: 0 },
    settings: { ...connected.settings, proxyEnabled: false },
  },
  moved: {
    ...connected,
    proxy: { ...connected.proxy, port: 8788, baseUrl: 'http://127.0.0.1:8788/v1' },
    bucket: { ...(connected.bucket ?? never()), banned: true, bannedUntil: '2026-11-21 15:00' },
  },
} satisfies Record<string, AppState>

function someRefusals(): AppState['proxy']['refusals'] {
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
  return [
    {
      code: 'foreign_origin',
      from: 'a web page at https://evil.example',
      message: 'A web page elsewhere tried to use the local /v1 from the browser.',
      times: 14,
      firstAt: ago(190),
      lastAt: ago(3),
      origin: 'https://evil.example',
    },
    {
      code: 'foreign_origin',
      from: 'a web page at http://localhost:3000',
      message: 'A web page elsewhere tried to use the local /v1 from the browser.',
      times: 2,
      firstAt: ago(42),
      lastAt: ago(41),
      origin: 'http://localhost:3000',
    },
    {
      code: 'wrong_host',
      from: 'a request for rebind.attacker.example:8787',
      message: 'It named another host than this machine: DNS rebinding looks like this.',
      times: 1,
      firstAt: ago(300),
      lastAt: ago(300),
      origin: null,
    },
  ]
}

function never(): never {
  throw new Error('The connected state has a bucket.')
}

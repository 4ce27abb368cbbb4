import { plainTool } from '../../../src-main/core/tools/settings.ts'
import type { AppState } from '../../../src-preload/contract/app.ts'
import type { Tool } from '../../../src-preload/contract/tools.ts'

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
  keychain: { available: true, reason: null },
  proxy: {
    state: 'on',
    baseUrl: 'http://127.0.0.1:8787/v1',
    port: 8787,
    wantedPort: 8787,
    tools: 3,
    active: 2,
    relayed: 1204,
    refused: 3,
    waiting: 0,
    heldUntil: null,
    refusals: [],
    problem: null,
  },
  bucket: {
    limit: 60,
    remaining: 19,
    resetSeconds: 18,
    banned: false,
    bannedUntil: null,
    asOf: new Date().toISOString(),
  },
  settings: {
    theme: 'system',
    proxyEnabled: true,
    proxyPort: 8787,
    proxyIpv6: false,
    proxyOrigins: [],
    metrics: false,
    bodyDays: 7,
    chatModel: 'writer-large',
  },
}

const tool = (id: string, name: string, lastUsedAt: string | null, revokedAt: string | null = null): Tool =>
  plainTool({ id, name, createdAt: '2026-11-14T09:12:00.000Z', lastUsedAt, revokedAt })
export const someTools: Tool[] = [
  tool('t1', 'opencode', at),
  tool('t2', 'notebook', '2026-11-20T18:40:00.000Z'),
  tool('t3', 'release-notes', null),
  tool('t4', 'old editor', '2026-11-02T08:00:00.000Z', '2026-11-15T10:00:00.000Z'),
]

/** States that are hard to reach with the real program, by name. */
export const states = {
  connected,
  first: {
    ...connected,
    connection: { state: 'none', profile: null, problem: null, checkedAt: null },
    keychain: { available: false, reason: 'The name org.freedesktop.secrets was not provided by any service.' },
    proxy: { ...connected.proxy, state: 'waiting', tools: 0, active: 0, relayed: 0, refused: 0 },
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
  moved: {
    ...connected,
    proxy: { ...connected.proxy, port: 8788, baseUrl: 'http://127.0.0.1:8788/v1' },
    bucket: { ...(connected.bucket ?? never()), banned: true, bannedUntil: '2026-11-21 15:00' },
  },
} satisfies Record<string, AppState>

function never(): never {
  throw new Error('The connected state has a bucket.')
}

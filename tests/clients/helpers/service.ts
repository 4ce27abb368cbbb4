import OpenAI from 'openai'
import { afterAll } from 'vitest'
import { type Sandbox, startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import { appKey } from '../../helpers/appRequest.ts'
import { type Gateway, openGateway } from '../../helpers/gateway.ts'

export interface Service {
  sandbox: Sandbox
  gateway: Gateway
  /** Chat requests that reached the service while `act` ran, oldest first. */
  during<T>(act: () => Promise<T>): Promise<{ result: T; reached: ReturnType<Sandbox['observe']['requests']> }>
  /** Resolves when the first of these requests is closed. Returns whether the client closed it. */
  closedByClient(reached: ReturnType<Sandbox['observe']['requests']>): Promise<boolean>
  close(): Promise<void>
}

/**
 * The real gateway in front of the real sandbox. Two attempts with a short pause: the tests check which side retries, not how long it
 * waits.
 */
export async function openService(): Promise<Service> {
  const sandbox = await startSandbox()
  const gateway = await openGateway(sandbox.baseUrl, sandbox.apiKey, {
    retry: { maxAttempts: 2, baseDelayMs: 5, maxDelayMs: 20 },
  })
  return {
    sandbox,
    gateway,
    during: async (act) => {
      const from = sandbox.observe.requests().length
      const result = await act()
      return { result, reached: sandbox.observe.requests().slice(from) }
    },
    closedByClient: async ([first]) => (await sandbox.observe.whenClosed(first?.id ?? '')).closedByClient,
    close: async () => {
      await gateway.close()
      await sandbox.close()
    },
  }
}

/** The official `openai` package before a service of its own, with only the two settings of the Local API page. For one test file. */
export async function openOpenAiClient(): Promise<{ service: Service; client: OpenAI }> {
  const service = await openService()
  afterAll(() => service.close())
  return { service, client: new OpenAI({ baseURL: service.gateway.url, apiKey: appKey }) }
}

/** A tool whose result can only come from the tool itself. */
export const lighthouse = {
  name: 'light_height',
  description: 'The height of a lighthouse',
  parameters: {
    type: 'object',
    properties: { name: { type: 'string', enum: ['Pharos'] } },
    required: ['name'],
    additionalProperties: false,
  },
  answer: 'Pharos stands 103.6 metres high',
} as const

export const question = `Please call ${lighthouse.name}.`

/** Statuses of the service, and how often the studio asks before it passes one on. */
export const refusals: [status: number, times: number][] = [
  [400, 1],
  [402, 1],
  [404, 1],
  [503, 2],
]

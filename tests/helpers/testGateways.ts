import { type Sandbox, startSandbox } from '../../src-main/sandbox/sandbox.ts'
import { closeAfterEach } from './closers.ts'
import { startEchoingService } from './echoingService.ts'
import { apiKey, type Gateway, type GatewayOptions, openFarEnd, openGateway } from './gateway.ts'

/** Delays between attempts that keep a test short, ms. */
export const quick = { baseDelayMs: 5, maxDelayMs: 20 }

/** Opens gateways with quick retries and closes them after each test, with the services behind them. Call it at the top of a test file. */
export function testGateways() {
  const closers = closeAfterEach()
  /** A gateway in front of a service that the test closes itself. */
  async function beforeUrl(url: string, options: GatewayOptions = {}, key = apiKey): Promise<Gateway> {
    const gateway = await openGateway(url, key, { retry: quick, ...options })
    closers.push(gateway.close)
    return gateway
  }
  return {
    closers,
    beforeUrl,
    /** A gateway in front of a new sandbox, with one of its API keys. */
    async beforeSandbox({ key = 'main', ...options }: GatewayOptions & { key?: keyof Sandbox['keys'] } = {}) {
      const sandbox = await startSandbox()
      closers.push(sandbox.close)
      return { sandbox, gateway: await beforeUrl(sandbox.baseUrl, options, sandbox.keys[key]) }
    },
    /** A gateway in front of a service that the test implements. `early`: the service replies before the request is complete. */
    async beforeService(
      act: Parameters<typeof openFarEnd>[0],
      { early = false, ...options }: GatewayOptions & { early?: boolean } = {},
    ) {
      const far = await openFarEnd(act, { early })
      closers.push(far.close)
      return { far, gateway: await beforeUrl(far.url, options) }
    },
    /** A gateway in front of a service that echoes the API key everywhere in its replies. */
    async beforeEchoingService() {
      const service = await startEchoingService(apiKey)
      closers.push(service.close)
      return { service, gateway: await beforeUrl(service.url, { retry: { maxAttempts: 1 } }) }
    },
  }
}

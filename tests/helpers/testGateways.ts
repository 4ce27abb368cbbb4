import { type Sandbox, startSandbox } from '../../src-main/sandbox/sandbox.ts'
import { closeAfterEach } from './closers.ts'
import { apiKey, type GatewayOptions, openFarEnd, openGateway } from './gateway.ts'

/** Delays between attempts that keep a test short, ms. */
export const quick = { baseDelayMs: 5, maxDelayMs: 20 }

/** Opens gateways with quick retries and closes them after each test, with the services behind them. Call it at the top of a test file. */
export function testGateways() {
  const closers = closeAfterEach()
  return {
    closers,
    /** A gateway in front of a new sandbox, with one of its API keys. */
    async beforeSandbox({ key = 'main', ...options }: GatewayOptions & { key?: keyof Sandbox['keys'] } = {}) {
      const sandbox = await startSandbox()
      const gateway = await openGateway(sandbox.baseUrl, sandbox.keys[key], { retry: quick, ...options })
      closers.push(sandbox.close, gateway.close)
      return { sandbox, gateway }
    },
    /** A gateway in front of a service that the test implements. `early`: the service replies before the request is complete. */
    async beforeService(
      act: Parameters<typeof openFarEnd>[0],
      { early = false, ...options }: GatewayOptions & { early?: boolean } = {},
    ) {
      const far = await openFarEnd(act, { early })
      const gateway = await openGateway(far.url, apiKey, { retry: quick, ...options })
      closers.push(far.close, gateway.close)
      return { far, gateway }
    },
  }
}

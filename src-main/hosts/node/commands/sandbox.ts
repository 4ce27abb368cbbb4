import { StudioError } from '../../../core/errors.ts'
import type { Parts } from '../dependencies.ts'
import { addressShown, exitCodes, printJson, say, sayTable } from '../output.ts'
import { listenForEnd } from '../signals.ts'

/** `sandbox`: runs the stand-in for the service until a signal. @throws StudioError `port_taken` */
export async function sandbox(options: { port: number; json: boolean }, parts: Parts): Promise<number> {
  const end = listenForEnd()
  const running = await parts.startSandbox({ port: options.port }).catch((thrown: unknown) => {
    end.release()
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EADDRINUSE') {
      throw new StudioError('port_taken', `Port ${options.port} is in use. Choose another one; 0 means any free port.`)
    }
    throw thrown
  })
  try {
    if (options.json) printJson({ baseUrl: running.baseUrl, apiKey: running.apiKey })
    else {
      sayTable([
        ['Sandbox', running.baseUrl],
        ['API key', running.apiKey],
      ])
      say('Press Ctrl-C to stop.')
    }
    await addressShown()
    await end.asked
  } finally {
    end.release()
    await running.close()
  }
  return exitCodes.ok
}

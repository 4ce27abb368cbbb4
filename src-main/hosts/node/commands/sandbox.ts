import { StudioError } from '../../../core/errors.ts'
import type { Parts } from '../dependencies.ts'
import { addressShown, exitCodes, printJson, say, sayTable } from '../output.ts'
import { listenForEnd } from '../signals.ts'

/** The stand-in for the service alone, until a signal ends it. */
export async function sandbox(options: { port: number; json: boolean }, parts: Parts): Promise<number> {
  const end = listenForEnd()
  const running = await parts.startSandbox({ port: options.port }).catch((thrown: unknown) => {
    end.release()
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EADDRINUSE') {
      throw new StudioError('port_taken', `Port ${options.port} is taken. Choose another one; 0 means any.`)
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
      say('Ctrl-C ends it.')
    }
    await addressShown()
    await end.asked
  } finally {
    end.release()
    await running.close()
  }
  return exitCodes.ok
}

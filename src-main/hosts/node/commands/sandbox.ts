import { readFile, stat } from 'node:fs/promises'
import { t } from '../../../../src-renderer/i18n/cli.ts'
import type { Parts } from '../dependencies.ts'
import { addressShown, exitCodes, printJson, say, sayTable } from '../output.ts'
import { ownError } from '../ownWords.ts'
import { listenForEnd } from '../signals.ts'
import { fileToRead } from '../userFile.ts'

export interface SandboxCommand {
  port: number
  /** Path of a fixture. */
  replay?: string
  atOnce: boolean
  exact: boolean
  json: boolean
}

/** Largest fixture, bytes. The log writes 64 MB of UTF-16 units at most, each of which has at most three bytes. */
const maxFixtureBytes = 192 * 1024 * 1024

/** `sandbox`: runs the stand-in for the service until a signal. @throws StudioError `port_taken`, `bad_input` for a fixture */
export async function sandbox(options: SandboxCommand, parts: Parts): Promise<number> {
  const replay = await replayOf(options)
  const end = listenForEnd()
  const running = await parts
    .startSandbox({ port: options.port, ...(replay && { replay }) })
    .catch((thrown: unknown) => {
      end.release()
      if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EADDRINUSE') {
        throw ownError('port_taken', t('port.inUse', { port: String(options.port) }))
      }
      if (thrown instanceof Error && 'code' in thrown && thrown.code === 'bad_fixture') {
        throw ownError('bad_input', `${options.replay}: ${thrown.message}`)
      }
      throw thrown
    })
  try {
    if (options.json) printJson({ baseUrl: running.baseUrl, apiKey: running.apiKey })
    else {
      sayTable([
        [t('sandbox.sandbox'), running.baseUrl],
        [t('sandbox.apiKey'), running.apiKey],
      ])
      say(t('stopHint'))
    }
    await addressShown()
    await end.asked
  } finally {
    end.release()
    await running.close()
  }
  return exitCodes.ok
}

/** Reads the fixture. Null without one. @throws StudioError `bad_input` */
async function replayOf({ replay, atOnce, exact }: SandboxCommand) {
  if (replay === undefined) return null
  const path = await fileToRead(replay, '--replay')
  const { size } = await stat(path)
  if (size > maxFixtureBytes) throw ownError('bad_input', t('sandbox.tooLarge', { file: replay }))
  return {
    fixture: await readFile(path, 'utf8'),
    timing: atOnce ? ('immediate' as const) : ('recorded' as const),
    isExact: exact,
  }
}

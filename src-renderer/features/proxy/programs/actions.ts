import { useEffect } from 'react'
import type { ProgramId } from '../../../../src-preload/contract/programs.ts'
import type { Client } from '../../../api/connect.ts'
import { joinSentences, showNames } from '../../../i18n/format.ts'
import { i18n } from '../../../i18n/index.ts'
import { programsStore } from '../../../stores/programs.ts'
import { attempt, say } from '../actions.ts'

/** Reads the programs and the state of their files. Call after each change. */
export async function readPrograms(studio: Client): Promise<void> {
  programsStore.setState(await studio.programs.list())
}

/** Reads the programs now, and whenever the person comes back to the window, because files may have been edited meanwhile. */
export function useReadPrograms(): void {
  useEffect(() => {
    const read = () => void attempt(readPrograms)
    read()
    window.addEventListener('focus', read)
    return () => window.removeEventListener('focus', read)
  }, [])
}

/** Product name of a program. */
export const nameOfProgram = (id: ProgramId): string =>
  programsStore.getState().programs?.find((program) => program.id === id)?.name ?? id

/** Writes the present address, and with `key` the new key of the app, to the files of connected programs. Says what was not written. */
export async function rewritePrograms(studio: Client, appId: string | null, key: string | null): Promise<void> {
  const { written, failed } = await studio.programs.rewrite({ appId, key })
  const { connected } = programsStore.getState()
  const names = showNames(failed.map((one) => nameOfFile(connected, one.id)))
  const texts = [
    written.length > 0 ? i18n.t('programs:written', { count: written.length }) : '',
    names === '' ? '' : i18n.t('programs:notWritten', { names }),
  ]
  say('programs', joinSentences(texts))
  await readPrograms(studio)
}

const nameOfFile = (connected: readonly { id: string; program: ProgramId }[], id: string): string => {
  const found = connected.find((one) => one.id === id)
  return found ? nameOfProgram(found.program) : id
}

import { fstatSync } from 'node:fs'
import { t } from '../../../src-renderer/i18n/cli.ts'
import { type KeySource, readsStandardInput } from './apiKey.ts'
import { usageError } from './failure.ts'
import { tell } from './output.ts'

/** As long as a message may be, characters. */
const maxPrompt = 1_000_000

/** After this time without a byte, a note says what the command waits for, ms. */
const waitNoteMs = 3000

/**
 * The prompt: the argument, standard input, or both. An argument beside a pipe is the instruction for the text of the pipe. `-` is standard
 * input, also a terminal. Where the API key comes from standard input, the prompt does not.
 * @throws CommanderError for no prompt, an empty one, or one that is too long for a message
 */
export async function readPrompt(argument: string | undefined, key: KeySource): Promise<string> {
  const isAsked = argument === '-'
  const isTaken = readsStandardInput(key)
  if (isAsked && isTaken) throw usageError(t('prompt.twice'))
  const instruction = isAsked ? '' : (argument ?? '')
  const piped = isAsked || (!isTaken && isPiped()) ? (await textOfInput()).trimEnd() : ''
  const text = [instruction, piped].filter((part) => part.trim() !== '').join('\n\n')
  if (text === '') throw usageError(t('prompt.missing'))
  if (text.length > maxPrompt) throw tooLong()
  return text
}

const tooLong = () => usageError(t('prompt.tooLong', { most: maxPrompt }))

/** Whether standard input is a pipe, a socket or a file. A device, such as the null device of a service, has no prompt. */
export function isPiped(): boolean {
  try {
    const facts = fstatSync(0)
    return facts.isFIFO() || facts.isFile() || facts.isSocket()
  } catch {
    // Standard input is closed.
    return false
  }
}

async function textOfInput(): Promise<string> {
  const note = setTimeout(() => tell('info', t('prompt.waiting')), waitNoteMs)
  let text = ''
  try {
    for await (const chunk of process.stdin.setEncoding('utf8')) {
      clearTimeout(note)
      text += chunk
      if (text.length > maxPrompt) throw tooLong()
    }
  } finally {
    clearTimeout(note)
  }
  return text
}

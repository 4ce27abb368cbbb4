import { createInterface } from 'node:readline/promises'
import { t } from '../../../src-renderer/i18n/cli.ts'
import { usageError } from './failure.ts'
import { sayLines } from './output.ts'
import type { Interrupt } from './signals.ts'

/**
 * Asks for confirmation on the terminal, after the given lines.
 * @param without what the command is about, for the usage error where nobody can be asked
 * @param json whether standard output has only documents, so that there is no place for a question
 * @throws CommanderError without a terminal, and for JSON; StudioError `cancelled` at Ctrl-C
 */
export async function confirm(
  asked: { lines?: readonly string[]; question: string; without: string; json: boolean },
  interrupt: Interrupt,
): Promise<boolean> {
  const { lines = [], question, without, json } = asked
  if (json || !process.stdin.isTTY || !process.stdout.isTTY) throw usageError(without)
  sayLines(lines)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  // Readline reads Ctrl-C as a key.
  terminal.once('SIGINT', interrupt.byCtrlC)
  try {
    const answer = await interrupt.or(terminal.question(t('confirm', { question })))
    return isYes(answer.trim().toLowerCase())
  } finally {
    terminal.close()
  }
}

/** Also in English, which every prompt of other programs takes. The first letter is enough. */
function isYes(answer: string): boolean {
  const yes = t('yes').toLowerCase()
  return ['y', 'yes', yes, yes.charAt(0)].includes(answer)
}

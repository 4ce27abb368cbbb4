import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InstallationCheck } from '../../../src-preload/contract/app.ts'
import { sentenceOf } from '../../../src-preload/contract/note.ts'
import { showNote } from '../../../src-renderer/i18n/cli.ts'
import { asStudioError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { exitCodes, log, outputFailure, printJson, say } from '../node/output.ts'
import { widest, widthOf } from '../node/table.ts'
import { type CheckParts, commonChecks, type OpenParts, openParts } from './checks.ts'
import { type Check, longestMs, runChecks } from './run.ts'
import { words } from './words.ts'

interface SelfCheckOptions {
  /** Print one JSON document per result, and one about all. */
  json: boolean
  /** How long the checks may take together, seconds. */
  wait: number
  /** @param folder an empty folder for the data */
  parts(folder: string): CheckParts
  /** Checks of parts that only this host has. */
  checks?: readonly Check<OpenParts>[]
}

/** How long the parts may take to close, ms. They are temporary, so what is late ends with the process. */
const closeMs = 1_500

/** A new folder that only this user can read, for one run. */
export const newCheckFolder = (): string => mkdtempSync(join(tmpdir(), 'inference-studio-check-'))

/**
 * Tries out every part of this installation in `folder`, prints a line for each, and returns the exit code. The caller must end the process
 * then: a part that hangs may keep it alive. Deletes the folder.
 */
export async function selfCheck(
  folder: string,
  { json, wait, parts: partsOf, checks = [] }: SelfCheckOptions,
): Promise<number> {
  const start = performance.now()
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  const parts = openParts(partsOf(data))
  const all = [...commonChecks, ...checks]
  const width = widest(all.map(({ label }) => showNote(label))) + 2
  const statusWidth = widest((['ok', 'failed', 'skipped'] as const).map(statusText)) + 2
  const ok = await runChecks(all, parts, {
    allMs: wait * 1000,
    report(result) {
      if (json) return printJson(result)
      const { label, status, detail, action, codes } = result
      const facts = [showNote(sentenceOf(detail, codes.detail)), action && showNote(sentenceOf(action, codes.action))]
      const start = padded(showNote(sentenceOf(label, codes.label)), width) + padded(statusText(status), statusWidth)
      say(start + facts.filter(Boolean).join(' '))
    },
  })
  const ms = Math.round(performance.now() - start)
  if (json) printJson({ ok, version: parts.host.version, host: parts.host.name, ms })
  else {
    say(showNote(words(ok ? 'end.good' : 'end.bad', { seconds: (ms / 1000).toFixed(1) })))
    // Only a check that was given up takes that long.
    if (!ok && ms >= longestMs(wait * 1000)) say(showNote(words('end.slow')))
  }
  await Promise.race([parts.close().catch(warn), new Promise((resolve) => setTimeout(resolve, closeMs).unref())])
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  } catch (thrown) {
    // Windows deletes no file that a part still has open.
    warn(thrown)
  }
  return ok && (await outputFailure()) === null ? exitCodes.ok : exitCodes.failed
}

const statusText = (status: InstallationCheck['status']): string => showNote(words(`status.${status}`))

const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))

const warn = (thrown: unknown): void => log('warn', `The check could not clean up: ${asStudioError(thrown).message}`)

/** The members of a host that can't be used from a check: nothing may reach the person's programs or windows. */
export const hostOfCheck = {
  openExternal: async () => undefined,
  reveal: async () => false,
  dragOut: null,
  notify: null,
  restart: null,
} as const satisfies Partial<Host>

import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../resources/scripts/ready.mjs'
import { marker, type Script } from './scripted.ts'
import type { Tools } from './table.ts'
import type { Exchange } from './wire.ts'

/** The working folder of a coding agent, and what is in it. */
export interface Desk {
  folder: string
  /** Occurs in `notes.txt` only. */
  word: string
  path(name: string): string
}

const bigBytes = 55_000
const bigFiles = ['big.txt', ...Array.from({ length: 8 }, (_, at) => `big${at + 2}.txt`)]

/** Writes the files of a task: `notes.txt`, nine files of 55 kB and `image.png`. */
export function layOut(folder: string): Desk {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const path = (name: string) => join(folder, name)
  const word = `lighthouse-${randomBytes(3).toString('hex')}`
  writeFileSync(path('notes.txt'), `${word}\n`)
  const line = (number: number) => `Row ${number}: ${'the tide comes in and goes out again. '.repeat(2)}`
  const rows = Math.ceil(bigBytes / line(100).length)
  const text = `${Array.from({ length: rows }, (_, at) => line(at + 1)).join('\n')}\n`
  for (const name of bigFiles) writeFileSync(path(name), text)
  copyFileSync(join(root, 'resources', 'icons', 'tray@2x.png'), path('image.png'))
  return { folder, word, path }
}

const edited = (word: string) => `${word} was edited`
const added = 'A new file of the harbour.'

/** Eleven turns: parallel calls, a read of 55 kB, tools that fail, an image, edits, a new file, and the text at the end. */
export function taskOf(tools: Tools, { word, path }: Desk): Script {
  const notes = path('notes.txt')
  return {
    summary: '',
    replies: [
      [tools.read(notes), tools.run('ls')],
      [tools.read(path('big.txt'))],
      [tools.read(path('missing.txt'))],
      [tools.run('cat missing.txt; exit 3')],
      [tools.image ? tools.image(path('image.png')) : tools.read(notes)],
      [tools.edit(notes, word, edited(word))],
      [tools.edit(notes, 'This line is not in the file.', 'Nothing')],
      [tools.write(path('new.txt'), added)],
      [tools.read(notes), tools.read(path('new.txt')), tools.run('wc -c big.txt')],
      [tools.run('cat notes.txt new.txt')],
      `The task is done: ${word}`,
    ],
  }
}

const callsOf = ({ replies }: Script): number =>
  replies.reduce((sum, reply) => sum + (Array.isArray(reply) ? reply.length : 0), 0)

/** The results of tools in a request, in order, as text. */
const resultsOf = ({ body }: Exchange): string[] =>
  (body?.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => JSON.stringify(content ?? ''))

/** Checks what became of the task. Returns the first failure as a sentence, or null. `turns`: the requests that offered tools, in order. */
export function faultOfTask(script: Script, desk: Desk, turns: Exchange[], stdout: string): string | null {
  const last = turns.at(-1)
  if (turns.length !== script.replies.length || !last)
    return `${turns.length} turns instead of ${script.replies.length}`
  const results = resultsOf(last)
  if (results.length !== callsOf(script)) return `${results.length} results of ${callsOf(script)} calls came back`
  if (!results[0]?.includes(desk.word)) return `the first result lacks the word: ${results[0]?.slice(0, 200)}`
  if (!results.at(-1)?.includes(edited(desk.word)))
    return `the last result lacks the edit: ${results.at(-1)?.slice(0, 200)}`
  for (const [name, content] of [
    ['notes.txt', `${edited(desk.word)}\n`],
    ['new.txt', added],
  ] as const) {
    const found = textOr(desk.path(name))
    if (found?.trimEnd() !== content.trimEnd()) return `${name} is: ${found?.slice(0, 200) ?? 'missing'}`
  }
  return stdout.includes(`done: ${desk.word}`) ? null : `the final text was not printed: ${stdout.slice(-300)}`
}

/** Characters of the 55 kB file that reached the model in one result. */
export const bigRead = (turns: Exchange[]): number => turns.slice(-1).flatMap(resultsOf)[2]?.length ?? 0

/** Whether an image reached the model. */
export const hasImage = (turns: Exchange[]): boolean =>
  turns.some(({ body }) =>
    body?.messages?.some(
      ({ content }) =>
        Array.isArray(content) &&
        content.some((part: { image_url?: { url?: string } }) => part.image_url?.url?.startsWith('data:image/')),
    ),
  )

/**
 * A conversation that has outgrown the context of the model: nine big files fill 97 % of 128,000 tokens, until it is shortened. The
 * files are that large, for coding agents that estimate by length instead of reading `usage`.
 */
export function longTalk(tools: Tools, { path, word }: Desk): Script {
  return {
    summary: `${marker} So far, by ${word}: the notes and the big files were read. Next: read the notes again.`,
    promptTokens: (index, isShortened) => (index > bigFiles.length && !isShortened ? 124_000 : undefined),
    replies: [
      [tools.read(path('notes.txt'))],
      ...bigFiles.map((name) => [tools.read(path(name))]),
      [tools.read(path('notes.txt'))],
      `The talk is done: ${word}`,
    ],
  }
}

function textOr(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

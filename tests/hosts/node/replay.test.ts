import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../helpers/folders.ts'
import { realCommands } from './fixtures/inProcess.ts'
import { cliEntry, commandLine } from './fixtures/process.ts'

const event = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`
const question = { model: 'm-1', messages: [{ role: 'user' as const, content: 'Hello' }] }

/** A fixture of one streamed reply, whose second part comes after `pauseMs`. */
function fixtureFile(pauseMs: number): string {
  const file = join(temporaryFolder('studio-replay-'), 'replay.json')
  const reply = {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    pieces: [
      [0, event('Good ')],
      [pauseMs, `${event('morning')}data: [DONE]\n\n`],
    ],
  }
  const request = { method: 'POST', path: '/v1/chat/completions', body: { ...question, stream: true } }
  writeFileSync(
    file,
    JSON.stringify({ format: 'inference-studio.replay', version: 1, exchanges: [{ request, reply }] }),
  )
  return file
}

const run = realCommands({})
const { start } = commandLine(cliEntry)

describe('sandbox --replay', () => {
  it('serves a fixture to a program, with its timing or at once', async () => {
    for (const [pauseMs, ...more] of [[400], [3_600_000, '--at-once']] as const) {
      const serving = start(['sandbox', '--json', '--replay', fixtureFile(pauseMs), ...more])
      const { baseUrl, apiKey } = JSON.parse(await serving.line())
      const program = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0 })
      const from = performance.now()
      let text = ''
      for await (const { choices } of await program.chat.completions.create({ ...question, stream: true })) {
        text += choices[0]?.delta.content ?? ''
      }
      expect(text).toBe('Good morning')
      if (more.length === 0) expect(performance.now() - from).toBeGreaterThanOrEqual(399)
      expect((await program.models.list()).data.map(({ id }) => id)).toEqual(['m-1'])
      serving.child.kill('SIGTERM')
      expect(await serving.ended).toMatchObject({ code: 0 })
    }
  })

  it('says in one line why a file is no fixture', async () => {
    const folder = temporaryFolder('studio-replay-')
    const [bad, missing] = [join(folder, 'bad.json'), join(folder, 'missing.json')]
    writeFileSync(bad, '{"format":"inference-studio.replay","version":9}')
    for (const [args, words] of [
      [['--replay', bad], `${bad}: The file has version 9 of the format, and this program reads version 1.`],
      [['--replay', missing], `${missing} (--replay) can’t be read: no such file or folder (ENOENT).`],
      [['--replay', folder], `${folder} (--replay) is a folder. Name a regular file.`],
    ] as const) {
      const { code, stdout, stderr } = await run(['sandbox', ...args])
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toContain(words)
      expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    }
  })
})

import { createRouterClient } from '@orpc/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createCore } from '../../../../src-main/core/core.ts'
import { openApps } from '../../../../src-main/core/gateway/apps/apps.ts'
import type { Notice } from '../../../../src-main/core/host.ts'
import { startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import type { AppQuestion } from '../../../../src-preload/contract/questions.ts'
import { freshFolder, memorySecrets, testHost } from '../../helpers/core.ts'

// Questions of apps in the whole program, as its windows, its host and other processes meet them.

/** A program that is connected to a sandbox, and an app without a budget that asks. */
async function studio(notify: (notice: Notice) => Promise<string | null> = async () => null) {
  const sandbox = await startSandbox()
  onTestFinished(sandbox.close)
  const dataDir = freshFolder()
  const connect = { baseUrl: sandbox.baseUrl, apiKey: sandbox.keys.main }
  const core = await createCore({ ...testHost(dataDir, memorySecrets()).host, notify }, { connect, proxyPort: 0 })
  onTestFinished(() => core.stop())
  const client = createRouterClient(core.router)
  const { app, key } = await client.apps.add({ name: 'my‮-editor', budgetDay: '0', atBudget: 'ask' })
  const ask = (signal?: AbortSignal) =>
    fetch(`${core.addresses().proxy}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'mirror', max_tokens: 5, messages: [{ role: 'user', content: 'Hello' }] }),
      ...(signal && { signal }),
    })
  /** A window. `shown` is what it shows, `close` closes it. */
  const openWindow = async () => {
    const closed = new AbortController()
    const shown: AppQuestion[][] = []
    const events = await client.apps.watchQuestions(undefined, { signal: closed.signal })
    void (async () => {
      for await (const questions of events) shown.push(questions)
    })().catch(() => undefined)
    onTestFinished(() => closed.abort())
    return { now: () => shown.at(-1), close: () => closed.abort() }
  }
  return { core, client, dataDir, app, ask, openWindow, sandbox }
}

const chats = ({ observe }: Awaited<ReturnType<typeof startSandbox>>) =>
  observe.requests().filter(({ path }) => path.endsWith('/chat/completions'))

describe('a question of an app', () => {
  it('is a notification of the system, in two windows, and the first answer ends it in both', async () => {
    const notices: Notice[] = []
    const { client, ask, openWindow } = await studio(async (notice) => {
      notices.push(notice)
      return null
    })
    const windows = [await openWindow(), await openWindow()]
    const reply = ask()
    await expect.poll(() => windows.map((one) => one.now()?.length)).toEqual([1, 1])
    const notice = {
      title: 'my -editor waits for your answer',
      body: expect.stringMatching(/^A request .*Model: mirror\. The app has spent 0 SC today\.$/),
      place: { page: 'proxy', id: null },
    }
    await expect.poll(() => notices).toEqual([notice])
    const [question] = windows[0]?.now() ?? []
    const answers = await Promise.all(
      (['once', 'refuse'] as const).map((answer) =>
        client.apps.answer({ id: question?.id ?? '', answer, amount: null, seen: 1 }),
      ),
    )
    expect(answers.filter(({ isFirst }) => isFirst)).toHaveLength(1)
    expect(new Set(answers.map(({ answer }) => answer)).size).toBe(1)
    expect((await reply).status).toBe(answers[0]?.answer === 'once' ? 200 : 402)
    await expect.poll(() => windows.map((one) => one.now())).toEqual([[], []])
  })

  it('goes on when its window closes, and a window that opens later shows it', async () => {
    const { client, ask, openWindow } = await studio()
    const first = await openWindow()
    const reply = ask()
    await expect.poll(() => first.now()?.length).toBe(1)
    first.close()
    const second = await openWindow()
    await expect.poll(() => second.now()?.length).toBe(1)
    await client.apps.answer({ id: second.now()?.[0]?.id ?? '', answer: 'once', amount: null, seen: 1 })
    expect((await reply).status).toBe(200)
  })

  it('is asked when the system shows no notification', async () => {
    const { client, ask, openWindow } = await studio(() => Promise.reject(new Error('No notification service.')))
    const window = await openWindow()
    const reply = ask()
    await expect.poll(() => window.now()?.length).toBe(1)
    await client.apps.answer({ id: window.now()?.[0]?.id ?? '', answer: 'once', amount: null, seen: 1 })
    expect((await reply).status).toBe(200)
  })

  it('stays with the program that has the data folder: a second one is refused, and a terminal still answers', async () => {
    const { dataDir, ask, openWindow, sandbox } = await studio()
    const window = await openWindow()
    const reply = ask()
    await expect.poll(() => window.now()?.length).toBe(1)
    await expect(createCore(testHost(dataDir).host, { proxyPort: null })).rejects.toMatchObject({
      kind: 'folder_in_use',
    })
    expect(window.now()).toHaveLength(1)
    expect(chats(sandbox)).toEqual([])
    const terminal = openApps(dataDir)
    onTestFinished(() => terminal.close())
    const [open] = terminal.questions()
    expect(terminal.answer({ id: open?.id ?? '', answer: 'refuse', amount: null, seen: 1 })).toMatchObject({
      isFirst: true,
    })
    expect((await reply).status).toBe(402)
    await expect.poll(() => window.now()).toEqual([])
  })

  it('ends with the program: the request fails, nothing was sent, and the next start has no question', async () => {
    const { core, dataDir, ask, openWindow, sandbox } = await studio()
    const window = await openWindow()
    const reply = ask().then(
      ({ status }) => status,
      () => null,
    )
    await expect.poll(() => window.now()?.length).toBe(1)
    await core.stop()
    expect(await reply).not.toBe(200)
    expect(chats(sandbox)).toEqual([])
    const next = await createCore(testHost(dataDir).host, { proxyPort: null })
    onTestFinished(() => next.stop())
    const client = createRouterClient(next.router)
    for await (const questions of await client.apps.watchQuestions()) {
      expect(questions).toEqual([])
      break
    }
  })
})

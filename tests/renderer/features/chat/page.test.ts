// @long Every state of a page in a real browser, over the harness's core. tests/e2e shows the same pages over the real core.
// @module-tag chromium

import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { ConversationEvent, Message } from '../../../../src-preload/contract/chat.ts'
import { pageTimeout, wholePage } from '../../../helpers/effort.ts'
import { windowText } from '../../../helpers/windowText.ts'
import type { Harness } from './harness/main.tsx'
import { moreScenes } from './harness/moreScenes.ts'
import { openHarness } from './harness/page.ts'
import { conversationId, message, scenes } from './harness/scenes.ts'
import { sceneCall } from './tools/harness/scenes.ts'

// The Chat page, built for production, in a real browser, over an in-memory core behind a real MessagePort.

declare global {
  var harness: Harness
}

// Loading a page takes a second on an idle machine, and far longer on one that builds and tests something else.
vi.setConfig({ testTimeout: wholePage })

let site: Awaited<ReturnType<typeof openHarness>>
let page: Page

beforeAll(async () => {
  site = await openHarness()
}, wholePage)
afterAll(() => site.close())
afterEach(() => page.context().close())

async function show(scene: string): Promise<void> {
  const context = await site.browser.newContext({ viewport: { width: 1200, height: 820 }, reducedMotion: 'reduce' })
  page = await context.newPage()
  page.setDefaultTimeout(pageTimeout)
  await visit(scene)
}

async function visit(scene: string): Promise<void> {
  await page.goto(`${site.url}?scene=${scene}`)
  await page.waitForSelector(scene === 'empty' ? '.chat-welcome' : '[data-message-id]')
}

/** The recorded calls of one kind. */
const asked = (what: string): Promise<unknown[]> =>
  page.evaluate((kind) => harness.core.asked.filter((one) => one.what === kind).map((one) => one.with), what)
const notify = (event: ConversationEvent): Promise<void> =>
  page.evaluate((json) => harness.core.notify(harness.conversationId, JSON.parse(json)), JSON.stringify(event))
const focused = (): Promise<string> =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.tagName ?? '')
const settled = (id: string, over: Partial<Message>): ConversationEvent => ({
  type: 'message',
  message: { ...message(1, over), id },
})

describe('editing a message', () => {
  it('sends the edit as a branch with its role and name, and Escape closes the editor without losing the text', async () => {
    await show('branches')
    const turn = page.getByRole('article', { name: 'You, Ada' })
    const edit = turn.getByRole('button', { name: windowText('chat:edit') })
    await edit.focus()
    await page.keyboard.press('Enter')
    await expect.poll(focused).toBe('Edited text')
    await page.keyboard.type(' And two lakes.')
    await page.keyboard.press('Escape')
    await expect.poll(focused).toBe('Message')
    expect(await turn.innerText()).not.toContain('lakes')
    await edit.focus()
    await page.keyboard.press('Enter')
    await expect
      .poll(() => page.getByLabel(windowText('chat:editText')).inputValue())
      .toBe('Name three rivers. And two lakes.')
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => asked('send')).toHaveLength(1)
    expect(await asked('send')).toMatchObject([
      {
        text: 'Name three rivers. And two lakes.',
        edits: message(2, {}).id,
        role: 'user',
        name: 'Ada',
        ask: true,
        models: ['writer-large'],
      },
    ])
    await expect.poll(focused).toBe('Message')
  })

  it('saves the edit without requesting a reply when that is chosen', async () => {
    await show('branches')
    await page.getByRole('article', { name: windowText('chat:roleSystem') }).hover()
    await page
      .getByRole('article', { name: windowText('chat:roleSystem') })
      .getByRole('button', { name: windowText('chat:edit') })
      .click()
    await page.getByLabel(windowText('chat:editText')).fill('Be long.')
    await page.getByRole('button', { name: windowText('chat:saveOnly'), exact: true }).click()
    await expect.poll(() => asked('send')).toMatchObject([{ text: 'Be long.', role: 'system', ask: false }])
  })
})

describe('versions of a message', () => {
  it('are switched by arrow keys, and the focus stays on the arrow', async () => {
    await show('branches')
    const walker = page.getByRole('group', { name: 'Reply 2 of 3' })
    await walker.getByRole('button', { name: windowText('chat:siblingNext') }).focus()
    await page.keyboard.press('ArrowLeft')
    const replyId = message(3, {}).id
    await expect.poll(() => asked('activatePath')).toEqual([{ messageId: replyId, sibling: 1 }])
    const before = {
      ...message(3, { text: 'Before.', parentId: message(2, {}).id, siblings: 3 }),
      id: message(9, {}).id,
    }
    await notify({ type: 'path', unchanged: 2, messages: [before], beside: [] })
    await page.getByText('Before.').waitFor()
    await expect.poll(focused).toBe('Next')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => asked('activatePath')).toHaveLength(2)
    expect((await asked('activatePath'))[1]).toEqual({ messageId: before.id, sibling: 2 })
  })

  it('continue a reply that was cut by its length, and request the whole reply again from another model', async () => {
    await show('branches')
    await page.getByRole('button', { name: windowText('chat:continueReply') }).click()
    await expect.poll(() => asked('continueReply')).toMatchObject([{ replyId: message(5, {}).id }])
    const last = page.getByRole('article', { name: 'writer-large' }).last()
    await last.getByRole('button', { name: windowText('chat:moreActions') }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: windowText('chat:retryWith') }).click()
    await page.getByLabel(windowText('chat:searchModels')).fill('reas')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => asked('retry'))
      .toEqual([{ requestId: expect.any(String), replyId: message(3, {}).id, models: ['reasoner'] }])
  })
})

describe('a message', () => {
  it("is quoted below the composer's text, only the selection when there is one", async () => {
    await show('branches')
    await page.getByLabel(windowText('chat:message'), { exact: true }).fill('Look:')
    await page.getByText('The Danube').first().selectText()
    await page.keyboard.press('Control+Alt+q')
    await expect
      .poll(() => page.getByLabel(windowText('chat:message'), { exact: true }).inputValue())
      .toContain('Look:\n\n> ')
    const quoted = (): Promise<string> => page.getByLabel(windowText('chat:message'), { exact: true }).inputValue()
    expect(await quoted()).toBe('Look:\n\n> The Danube\n\n')
    // Without a selection the whole reply, with its continuation.
    await page.keyboard.press('Control+Alt+q')
    await expect.poll(quoted).toContain('> 3. The Mekong\n> And a fourth: the Amur.')
  })

  it('becomes the end of a new chat', async () => {
    await show('branches')
    const last = page.getByRole('article', { name: 'writer-large' }).last()
    await last.getByRole('button', { name: windowText('chat:moreActions') }).click()
    await page.getByRole('menuitem', { name: windowText('chat:duplicateHere') }).click()
    await expect.poll(() => asked('duplicate')).toEqual([{ conversationId, upTo: message(5, {}).id }])
  })

  it('shows its duration and cost, and marks an estimate', async () => {
    await show('branches')
    // The sums of a reply and its continuation.
    const figures = page.getByRole('button', { name: /0\.21 SC/ })
    await page.mouse.move(1, 1)
    expect(await figures.innerText()).toBe('0.21 SC est.')
    await figures.focus()
    expect(await figures.innerText()).toBe('824 tokens · 0.38 s to first · 85 tok/s · 0.21 SC est.')
  })

  it('[ERR-06] says while it waits for a retry that the first attempt may have done work', async () => {
    await show('longNames')
    await page.getByText(windowText('chat:waitWorkPossible')).waitFor()
  })
})

describe('the end of a chat', () => {
  it('is one click away for a reader further up, and is not scrolled to before', async () => {
    await show('long')
    const jump = page.getByRole('button', { name: windowText('chat:jump') })
    const talk = page.locator('.chat-talk')
    const gap = () => talk.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight)
    await page.getByText('Question 998: what comes next?').waitFor()
    expect(await jump.count()).toBe(0)
    await talk.focus()
    await page.keyboard.press('PageUp')
    await jump.waitFor()
    await notify(settled(message(999, {}).id, { text: `${'More than was there. '.repeat(200)}The end.` }))
    await expect.poll(() => page.evaluate(() => harness.useChat.getState().open?.ids.length)).toBe(1_000)
    expect(await gap()).toBeGreaterThan(48)
    await jump.focus()
    await page.keyboard.press('Enter')
    await jump.waitFor({ state: 'detached' })
    await page.getByText('The end.').waitFor()
    await expect.poll(gap).toBeLessThan(48)
  })
})

describe('the title', () => {
  it('is changed with F2 and Enter, unchanged by Escape, and has the direction of its text', async () => {
    await show('complete')
    const title = page.getByRole('heading', { level: 1 })
    expect(await title.getAttribute('dir')).toBe('auto')
    await page.keyboard.press('F2')
    await page.keyboard.type('Not this')
    await page.keyboard.press('Escape')
    await title.waitFor()
    expect(await asked('update')).toEqual([])
    await expect.poll(focused).toBe('Message')
    await page.keyboard.press('F2')
    await page.keyboard.type('Half lines')
    await page.keyboard.press('Enter')
    await expect.poll(() => asked('update')).toEqual([{ conversationId, title: 'Half lines' }])
  })
})

describe('replies side by side', () => {
  it('stop separately, one is selected, and screen readers hear once that all have ended', async () => {
    await show('columnsRunning')
    const columns = page.locator('.chat-column')
    expect(await columns.count()).toBe(4)
    await page.getByRole('button', { name: 'Stop reasoner' }).click()
    await expect.poll(() => asked('stop')).toHaveLength(1)
    const ids = await columns.evaluateAll((all) => all.map((one) => one.getAttribute('data-message-id') ?? ''))
    const log = page.locator('.chat-sr[role="log"]')
    await notify(settled(ids[0] ?? '', { text: 'Rhine.', status: 'complete' }))
    expect(await log.innerText()).toBe('')
    await notify(settled(ids[1] ?? '', { model: 'reasoner', status: 'stopped' }))
    await expect.poll(() => log.innerText()).toMatch(/^2 of 4|^1 of 4/)
    await page.getByRole('button', { name: 'Use this reply: reasoner' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => asked('activatePath')).toEqual([{ messageId: ids[1] }])
    await expect.poll(focused).toBe('Message')
  })

  it('are numbered when they are choices of one request, and show their joint cost', async () => {
    await show('choices')
    await page.getByRole('article', { name: 'Choice 2 · writer-large' }).waitFor()
    expect(await page.locator('.chat-column .chat-facts').first().innerText()).toContain('for all 3 choices')
  })

  it('come from two to four models picked by keyboard', async () => {
    await show('complete')
    await page.keyboard.press('Control+Shift+M')
    await page.getByRole('radio', { name: windowText('chat:modelsCompare') }).click()
    await page.getByLabel(windowText('chat:searchModels')).focus()
    await page.keyboard.type('reas')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await page.getByLabel(windowText('chat:message'), { exact: true }).fill('Compare.')
    await page.keyboard.press('Enter')
    await expect.poll(() => asked('send')).toMatchObject([{ models: ['writer-large', 'reasoner'] }])
  })
})

describe('the parameters of a reply', () => {
  it('are saved before the request, sent only when set, and can be reset', async () => {
    await show('complete')
    await page.getByLabel(windowText('chat:paramTemperature'), { exact: true }).fill('0.7')
    await page.getByLabel(windowText('chat:paramMaxTokens')).fill('0')
    await page.getByText('Enter a number from 1 to 10000000. This value is not sent.').waitFor()
    await page.getByLabel(windowText('chat:message'), { exact: true }).fill('Go.')
    await page.keyboard.press('Enter')
    await expect.poll(() => asked('send')).toHaveLength(1)
    const order = await page.evaluate(() => harness.core.asked.map(({ what }) => what))
    expect(order.indexOf('saveSetup')).toBeGreaterThanOrEqual(0)
    expect(order.indexOf('saveSetup')).toBeLessThan(order.indexOf('send'))
    expect(await asked('saveSetup')).toMatchObject([{ setup: { params: { temperature: 0.7 } } }])
    await page.getByRole('button', { name: 'Reset Temperature' }).click()
    await expect.poll(async () => (await asked('saveSetup')).length).toBe(2)
    expect((await asked('saveSetup'))[1]).toMatchObject({ setup: { params: {} } })
    expect(JSON.stringify((await asked('saveSetup'))[1])).not.toContain('temperature')
  })

  it('apply to the first message of a new chat', async () => {
    await show('empty')
    await page.getByRole('textbox', { name: windowText('chat:instructions') }).fill('Be brief.')
    await page.getByText(windowText('chat:advanced'), { exact: true }).click()
    await page.getByLabel(windowText('chat:paramTopP'), { exact: true }).fill('0.5')
    await page.getByLabel(windowText('chat:message'), { exact: true }).fill('Hello')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => asked('send'))
      .toMatchObject([{ conversationId: null, setup: { instructions: 'Be brief.', params: { topP: 0.5 } } }])
  })

  it('show errors of a schema and of additional members while typing', async () => {
    await show('complete')
    await page.getByText(windowText('chat:advanced'), { exact: true }).click()
    await page.getByLabel(windowText('chat:paramFormat')).selectOption('json_schema')
    await page.getByLabel(windowText('chat:schemaText'), { exact: true }).fill('{"type":')
    await page.getByText('Line 1, column 9: unexpected end.').waitFor()
    await page
      .getByLabel(windowText('chat:schemaText'), { exact: true })
      .fill('{"type":"object","required":["a"],"properties":{}}')
    await page.getByText('“a” is required, but there is no such property.').waitFor()
    await page.getByLabel(windowText('chat:paramExtra')).click()
    await page.getByRole('textbox', { name: windowText('chat:paramExtra') }).fill('{"n":2}')
    await page.getByText('Inference Studio sets “n” itself').waitFor()
    await page.getByRole('textbox', { name: windowText('chat:paramExtra') }).fill('{"top_k":2}')
    await expect.poll(async () => JSON.stringify((await asked('saveSetup')).at(-1))).toContain('"extra":{"top_k":2}')
    expect(JSON.stringify(await asked('saveSetup'))).not.toContain('"n":2}')
  })

  it('are saved when the chat is left right after a change', async () => {
    await show('complete')
    await page.getByRole('textbox', { name: windowText('chat:instructions') }).fill('Half a')
    await page.evaluate(() => harness.openChat(null))
    await expect.poll(() => asked('saveSetup')).toMatchObject([{ conversationId, setup: { instructions: 'Half a' } }])
  })
})

describe('a preset', () => {
  it('saves the current parameters under a name, with the model when that is chosen', async () => {
    await show('complete')
    await page.getByLabel(windowText('chat:paramTemperature'), { exact: true }).fill('0.7')
    await page.getByRole('button', { name: windowText('chat:presets') }).click()
    await page.getByRole('menuitem', { name: windowText('chat:presetsManage') }).click()
    await page.getByRole('checkbox', { name: 'Include the model (writer-large)' }).check()
    await page.getByRole('textbox', { name: windowText('chat:schemaName') }).fill('Warm')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await asked('savePreset')).toEqual([
      { name: 'Warm', model: 'writer-large', instructions: null, params: { temperature: 0.7 } },
    ])
  })

  it('is applied as a whole: parameters that it does not set are no longer sent', async () => {
    await show('complete')
    await page.getByLabel(windowText('chat:paramTemperature'), { exact: true }).fill('0.7')
    await page.evaluate(() =>
      harness.libraryStore.setState({
        presets: [
          {
            id: harness.conversationId,
            name: 'Terse',
            model: 'reasoner',
            instructions: 'Be terse.',
            params: { topP: 0.4 },
            updatedAt: new Date().toISOString(),
          },
        ],
      }),
    )
    await page.getByRole('button', { name: windowText('chat:presets') }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Terse' }).press('Enter')
    await expect
      .poll(async () => (await asked('saveSetup')).at(-1))
      .toMatchObject({ setup: { instructions: 'Be terse.', params: { topP: 0.4 } } })
    expect(JSON.stringify((await asked('saveSetup')).at(-1))).not.toContain('temperature')
    await expect.poll(() => page.evaluate(() => harness.useChat.getState().model)).toBe('reasoner')
  })
})

describe('the raw request and response', () => {
  it('are shown event by event or line by line, and without a body the setting that stores bodies is offered', async () => {
    await show('complete')
    await page
      .getByRole('region', { name: windowText('chat:lastReply') })
      .getByRole('button', { name: windowText('chat:raw') })
      .click()
    await page.getByText('"stream": true').waitFor()
    await page.getByRole('radio', { name: windowText('chat:rawReply') }).click()
    await page.getByText('2 events').waitFor()
    await page.getByRole('radio', { name: windowText('chat:rawLines') }).click()
    await page.getByText('data: [DONE]').waitFor()
    await page.keyboard.press('Escape')
    await page.evaluate(() => harness.useStage.setState({ dialog: { kind: 'raw', requestRows: [99] } }))
    await page.getByRole('switch').click()
    await expect.poll(() => asked('updateSettings')).toEqual([{ chatBodies: true }])
  })
})

describe('finding in a chat', () => {
  it('counts matches in messages that are not in the page, scrolls to each, and marks them', async () => {
    await show('long')
    await page.keyboard.press('Control+f')
    await page.keyboard.type('This was answer 1.')
    await expect.poll(() => page.locator('.chat-find output').innerText()).toBe('1 of 1')
    const first = page.locator(`[data-message-id="${message(1, {}).id}"]`)
    await first.getByText('This was answer 1.').waitFor()
    await expect.poll(() => page.evaluate(() => CSS.highlights.get('chat-find-current')?.size ?? 0)).toBe(1)
    const inView = await page.evaluate(() => {
      const [range] = CSS.highlights.get('chat-find-current') ?? []
      const view = document.querySelector('.chat-talk')?.getBoundingClientRect()
      const box = range instanceof Range ? range.getBoundingClientRect() : null
      return Boolean(box && view && box.top >= view.top && box.bottom <= view.bottom)
    })
    expect(inView).toBe(true)
    await page.getByLabel(windowText('chat:find')).fill('comes next')
    await expect.poll(() => page.locator('.chat-find output').innerText()).toBe('1 of 500')
    await page.keyboard.press('Shift+Enter')
    await expect.poll(() => page.locator('.chat-find output').innerText()).toBe('500 of 500')
    await page.getByText('Question 998: what comes next?').waitFor()
    await page.keyboard.press('Escape')
    expect(await page.locator('.chat-find').count()).toBe(0)
    expect(await page.evaluate(() => CSS.highlights.size)).toBe(0)
  })
})

describe('a reply of several parts', () => {
  it('changes nothing in its finished parts while the last one grows', async () => {
    await show('rounds')
    const growing = message(5, { text: 'So', status: 'streaming', finishedAt: null, usage: null, finishReason: null })
    await notify({ type: 'message', message: growing })
    await page.waitForSelector('article[data-status="streaming"]')
    await page.evaluate(() => {
      const seen: string[] = []
      const observer = new MutationObserver((changes) => seen.push(...changes.map(({ type }) => type)))
      const parts = [...document.querySelectorAll('article[data-status="streaming"] .chat-part')]
      for (const part of parts.slice(0, -1))
        observer.observe(part, { childList: true, subtree: true, characterData: true, attributes: true })
      Object.assign(globalThis, { changesSeen: seen, partsSeen: parts.length })
    })
    const words = ' the tide is high.'
    for (let at = 0; at < words.length; at += 1)
      await notify({ type: 'delta', messageId: growing.id, field: 'text', at: 2 + at, append: words.charAt(at) })
    await page.getByText('So the tide is high.').waitFor()
    expect(await page.evaluate(() => Reflect.get(globalThis, 'partsSeen'))).toBe(3)
    expect(await page.evaluate(() => Reflect.get(globalThis, 'changesSeen'))).toEqual([])
  })
})

describe('a search match in a tool result', () => {
  it('opens the result and is marked', async () => {
    await show('long')
    await page.getByText('Question 998: what comes next?').waitFor()
    const { call, row } = sceneCall(
      'read_file',
      '{}',
      { state: 'done', allowed: 'once' },
      `A line\n`.repeat(60).concat('the needle'),
    )
    if (!row) throw new Error('The call has no row.')
    await notify({ type: 'message', message: message(1_000, { text: 'Read it.' }) })
    await notify({ type: 'message', message: message(1_001, { text: 'I look.', toolCalls: [call] }) })
    const answered = message(1_002, {})
    await notify({ type: 'message', message: { ...row, id: answered.id, parentId: answered.parentId, conversationId } })
    await page.getByRole('button', { name: /^Used/ }).waitFor()
    await page.keyboard.press('Control+f')
    await page.keyboard.type('needle')
    await expect.poll(() => page.locator('.chat-find output').innerText()).toBe('1 of 1')
    const inView = (): Promise<boolean> =>
      page.evaluate(() => {
        const [range] = CSS.highlights.get('chat-find-current') ?? []
        const box = document.querySelector('[data-result-of]')?.parentElement?.getBoundingClientRect()
        const own = range instanceof Range ? range.getBoundingClientRect() : null
        return Boolean(own && box && own.height > 0 && own.top >= box.top && own.bottom <= box.bottom)
      })
    await expect.poll(inView).toBe(true)
  })
})

describe('the reading position', () => {
  /** The message at the top of the view, and how far above the edge it starts, px. */
  const reading = (): Promise<{ id: string; top: number }> =>
    page.evaluate(() => {
      const view = document.querySelector('.chat-talk')?.getBoundingClientRect().top ?? 0
      for (const article of document.querySelectorAll<HTMLElement>('.chat-talk [data-message-id]')) {
        const { top, bottom } = article.getBoundingClientRect()
        if (bottom > view) return { id: article.dataset.messageId ?? '', top: Math.round(top - view) }
      }
      return { id: '', top: 0 }
    })
  /** The same after some frames without movement: keys scroll over several frames, and new messages are measured in the next ones. */
  const still = async (): Promise<{ id: string; top: number }> => {
    let before = await reading()
    for (let same = 0; same < 10; ) {
      await page.evaluate(() => new Promise(requestAnimationFrame))
      const now = await reading()
      same = now.id === before.id && now.top === before.top ? same + 1 : 0
      before = now
    }
    return before
  }
  const expectUnmoved = async (before: { id: string; top: number }): Promise<void> => {
    const after = await still()
    expect(after.id).toBe(before.id)
    expect(Math.abs(after.top - before.top)).toBeLessThanOrEqual(2)
  }

  it('does not move while earlier messages are loaded before it', async () => {
    await show('long')
    await page.getByText('Question 998: what comes next?').waitFor()
    await expect.poll(() => page.evaluate(() => harness.useChat.getState().open?.missing)).toBe(0)
    const open = await page.evaluate(() => {
      const { conversation, setup, messages } = harness.useChat.getState().open ?? {}
      return JSON.stringify({ conversation, setup, messages })
    })
    const { conversation, setup, messages } = JSON.parse(open)
    const common = { conversation, setup, beside: [] }
    await notify({ type: 'snapshot', ...common, messages: messages.slice(-60), earlier: 940 })
    await page.locator('.chat-talk').focus()
    await page.keyboard.press('PageUp')
    await page.keyboard.press('PageUp')
    await page.getByRole('button', { name: windowText('chat:jump') }).waitFor()
    const before = await still()
    await notify({ type: 'earlier', messages: messages.slice(0, 940), left: 0 })
    await expect.poll(() => page.evaluate(() => harness.useChat.getState().open?.ids.length)).toBe(1_000)
    await expectUnmoved(before)
  })

  it('is restored after another chat was open', async () => {
    await show('long')
    await page.getByText('Question 998: what comes next?').waitFor()
    await page.locator('.chat-talk').focus()
    for (let press = 0; press < 3; press++) await page.keyboard.press('PageUp')
    await page.getByRole('button', { name: windowText('chat:jump') }).waitFor()
    const before = await still()
    await expect.poll(() => page.evaluate(() => sessionStorage.getItem('chat.places') ?? '')).toContain(before.id)
    await page.evaluate(() => harness.openChat(null))
    await page.waitForSelector('.chat-welcome')
    await page.evaluate(() => harness.openChat(harness.conversationId))
    await page.waitForSelector(`[data-message-id="${before.id}"]`)
    await expectUnmoved(before)
  })

  it('supports a selection across messages, copied with both authors', async () => {
    await show('long')
    await page.getByText('Question 998: what comes next?').waitFor()
    const copied = await page.evaluate(() => {
      const part = (n: number): Element | null =>
        document.querySelector(`[data-message-id$="00${n}"] [data-part="text"]`)
      const [from, to] = [part(1_998), part(1_999)]
      const end = to?.querySelector('p:last-child')
      if (!from || !end) throw new Error('The messages are not there.')
      getSelection()?.setBaseAndExtent(from, 0, end, end.childNodes.length)
      const clipboardData = new DataTransfer()
      from.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true }))
      return clipboardData.getData('text/plain')
    })
    expect(copied).toMatch(/^You:\nQuestion 998: what comes next\?\n\nwriter-large:\nThe split is made on/)
    expect(copied).toContain('\n- a test that splits every fixture')
    expect(copied.endsWith('This was answer 999.')).toBe(true)
  })
})

describe('every state', () => {
  // `tenThousand` looks like `long`: only messages near the view are in the page.
  const states = ['empty', ...Object.keys(scenes), ...Object.keys(moreScenes)].filter((one) => one !== 'tenThousand')
  it('has no axe violations, wide and light or narrow and dark', async () => {
    await show('empty')
    const found: string[] = []
    for (const scene of states) {
      await page.setViewportSize({ width: 1200, height: 820 })
      await visit(scene)
      found.push(...(await faults()).map((fault) => `${scene}, light: ${fault}`))
      await page.setViewportSize({ width: 700, height: 820 })
      await page.evaluate(() => {
        document.documentElement.dataset.theme = 'dark'
      })
      found.push(...(await faults()).map((fault) => `${scene}, dark: ${fault}`))
    }
    expect(found).toEqual([])
  }, 600_000)

  it('has none in the editor, the find bar, the model list and the raw request either', async () => {
    await show('branches')
    await page.keyboard.press('Control+e')
    await page.keyboard.press('Control+f')
    await page.getByLabel(windowText('chat:find')).fill('river')
    await page.getByLabel(windowText('chat:editText')).waitFor()
    expect(await faults()).toEqual([])
    await page.keyboard.press('Control+Shift+M')
    await page.getByRole('radio', { name: windowText('chat:modelsCompare') }).click()
    expect(await faults()).toEqual([])
    await page.keyboard.press('Escape')
    await page.evaluate(() => harness.useStage.setState({ dialog: { kind: 'raw', requestRows: [42] } }))
    await page.getByText('"stream": true').waitFor()
    expect(await faults()).toEqual([])
  })

  async function faults(): Promise<string[]> {
    // The list has its own tests.
    const { violations } = await new AxeBuilder({ page })
      .include('main')
      .include('.window > aside:last-child')
      .analyze()
    // The model of a reply chooses the level of its first heading.
    const ours = violations.filter(
      ({ id, nodes }) => id !== 'heading-order' || nodes.some(({ html }) => !html.includes('md-h')),
    )
    return ours.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' ')}`)
  }
})

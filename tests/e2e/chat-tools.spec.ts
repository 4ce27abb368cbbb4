import { fileURLToPath } from 'node:url'
import { expect, type Locator, type Page, test } from '@playwright/test'
import { node24 } from '../../resources/scripts/ready.mjs'
import { startHttp } from '../helpers/mcp/http.ts'
import { windowText } from '../helpers/windowText.ts'
import { allowClipboard, type ChatWorld, expectAccessible, newChat, openChatWorld, takePictures } from './chatWorld.ts'
import {
  addToMessage,
  composer,
  lastReply,
  openInspector,
  openRawView,
  pickModel,
  pressInDialog,
  replies,
  send,
  settled,
} from './journey.ts'
import { type Asked, type Line, scripted, startScripted } from './scripted.ts'

const stdio = fileURLToPath(new URL('../helpers/mcp/stdio.ts', import.meta.url))
// Each test has many steps and needs much longer on a busy machine.
test.describe.configure({ timeout: 150_000 })
test.use({ actionTimeout: 30_000 })

let world: ChatWorld
let service: Awaited<ReturnType<typeof startScripted>>
let mcp: Awaited<ReturnType<typeof startHttp>>
/** Reply of the scripted model. Each test sets it. */
let script: (asked: Asked) => Line = () => ({ text: 'Nothing to say.' })

test.beforeAll(async () => {
  mcp = await startHttp('sessions')
  world = await openChatWorld(async (sandbox) => {
    service = await startScripted(sandbox.baseUrl, (asked) => script(asked))
    return service.baseUrl
  })
})
test.afterAll(async () => {
  await world.close()
  await service.close()
  await mcp.close()
})
test.beforeEach(async ({ page }) => {
  await world.enter(page)
  service.asked.length = 0
  mcp.state.called.length = 0
})

const openPage = (page: Page, address: string): Promise<void> =>
  page.evaluate((hash) => {
    location.hash = hash
  }, address)

const toSettings = async (page: Page): Promise<void> => {
  await openPage(page, '#/settings/tools')
  await expect(page.getByRole('region', { name: windowText('chatTools:settings.servers.title') })).toBeVisible()
}
const backToChat = async (page: Page): Promise<void> => {
  await openPage(page, '#/chat')
  await newChat(page)
}

const serverCard = (page: Page, name: string): Locator =>
  page.getByRole('region', { name: windowText('chatTools:settings.servers.title') }).locator(`[data-server="${name}"]`)

const ready = new Set<string>()

/** Adds a server on first use in this file, and switches it on after the warning. */
async function haveServer(page: Page, name: string, what: { url: string } | { args: string[] }, limit = 60) {
  if (ready.has(name)) return
  await toSettings(page)
  const card = serverCard(page, name)
  await page.getByRole('button', { name: windowText('chatTools:settings.servers.add') }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(windowText('chatTools:settings.form.name'), { exact: true }).first().fill(name)
  if ('url' in what) {
    await dialog.getByRole('radio', { name: windowText('chatTools:settings.server.http') }).click()
    await dialog.getByLabel(windowText('chatTools:settings.server.url')).fill(what.url)
  } else {
    await dialog.getByLabel(windowText('chatTools:settings.servers.program')).fill(node24())
    await dialog.getByLabel(windowText('chatTools:settings.server.args')).fill(what.args.join('\n'))
  }
  await dialog.getByLabel(/^Time limit/).fill(String(limit))
  await dialog.getByRole('button', { name: windowText('chatTools:settings.form.add'), exact: true }).click()
  await expect(dialog).toHaveCount(0)
  await page.getByRole('switch', { name: `Turn on ${name}` }).click()
  await expect(page.getByRole('dialog')).toContainText(
    'url' in what ? 'This connects to' : 'This starts a program on this computer with your permissions',
  )
  await pressInDialog(page, windowText('chatTools:settings.servers.confirmTurnOn'))
  // The time limit for the start of a server.
  await expect(card.getByText(windowText('chatTools:settings.servers.state.ready'), { exact: true })).toBeVisible({
    timeout: 60_000,
  })
  ready.add(name)
  await backToChat(page)
}
const haveHttp = (page: Page) => haveServer(page, 'remote', { url: mcp.url })

async function offer(page: Page, ...tools: string[]): Promise<void> {
  await addToMessage(page, 'Tools…')
  const picker = page.getByRole('dialog', { name: windowText('chatTools:title') })
  for (const tool of tools) {
    // The tools of a server that this page has just added are on.
    await picker.getByRole('switch', { name: `Use ${tool}`, exact: true }).setChecked(true)
    await expect(picker.getByRole('switch', { name: `Use ${tool}`, exact: true })).toBeChecked()
  }
  await page.keyboard.press('Escape')
  await expect(picker).toHaveCount(0)
}

/** Opens the tool picker and sets the tool choice to one tool. Returns the picker. */
async function allowOnly(page: Page, tool: string): Promise<Locator> {
  await addToMessage(page, 'Tools…')
  const picker = page.getByRole('dialog', { name: windowText('chatTools:title') })
  await picker
    .getByRole('combobox', { name: windowText('chatTools:how.choice') })
    .selectOption({ label: `Only ${tool}` })
  return picker
}

const card = (page: Page): Locator => page.locator('[data-tool-call]').last()
/** Presses a button of the last tool call. */
const pressInCard = (page: Page, name: string | RegExp): Promise<void> =>
  card(page).getByRole('button', { name }).click()
const cards = (page: Page, state: string): Locator => page.locator(`[data-tool-call][data-state="${state}"]`)
const state = (page: Page, wanted: string): Promise<void> => expect(card(page)).toHaveAttribute('data-state', wanted)

/** Calls these tools until a result follows the person's last message, then replies with the result. */
const once =
  (...calls: NonNullable<Line['calls']>) =>
  ({ messages }: Asked): Line => {
    const last = messages.at(-1)
    return last?.role === 'tool' ? { text: `It said: ${String(last.content)}` } : { calls }
  }
const call = (name: string, given: unknown) => ({ name, arguments: JSON.stringify(given) })

test('a custom tool: the schema is checked while typing, the person enters the result, and the model receives it [CHAT-10]', {
  tag: '@long',
}, async ({ page }) => {
  await toSettings(page)
  await page.getByRole('button', { name: windowText('chatTools:settings.functions.add') }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(windowText('chatTools:settings.form.name')).fill('get weather')
  await expect(dialog).toContainText('only letters, digits, _ and -')
  await dialog.getByLabel(windowText('chatTools:settings.form.name')).fill('get_weather')
  const schema = dialog.getByLabel(windowText('chatTools:settings.form.schema'))
  await schema.fill('{\n  "type": "object"\n  "properties": {}\n}')
  await expect(dialog).toContainText('Line 3, column 3: expected a comma or the closing bracket.')
  await dialog
    .getByRole('combobox', { name: windowText('chatTools:settings.form.start') })
    .selectOption({ label: 'One string' })
  await dialog.getByRole('switch', { name: windowText('chatTools:settings.form.strict') }).click()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: windowText('chatTools:settings.form.add'), exact: true }).click()
  await expect(page.getByRole('region', { name: windowText('chatTools:settings.functions.title') })).toContainText(
    'get_weather',
  )
  await backToChat(page)

  await offer(page, 'get_weather')
  await pickModel(page, 'tool-caller')
  await send(page, 'Call get_weather please.')
  await state(page, 'by_hand')
  const announced = windowText('chat:settledCalls', { model: 'tool-caller', tools: 'get_weather' })
  await expect(page.getByRole('log')).toHaveText(announced)
  await expect(page.getByRole('status').filter({ hasText: 'A tool needs your result' })).toHaveCount(1)
  await expectAccessible(page)
  await takePictures(page, 'tools-by-hand', true)
  await card(page).getByLabel(windowText('chatTools:hand.result'), { exact: true }).fill('19 degrees and clear')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(lastReply(page)).toContainText('19 degrees and clear')
  await settled(page, 'complete')
})

test('deleting a tool can be undone, and the same tool returns', { tag: '@long' }, async ({ page }) => {
  await toSettings(page)
  const own = page.getByRole('region', { name: windowText('chatTools:settings.functions.title') })
  await page.getByRole('button', { name: windowText('chatTools:settings.functions.add') }).click()
  await page.getByRole('dialog').getByLabel(windowText('chatTools:settings.form.name')).fill('keep_me')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: windowText('chatTools:settings.form.add'), exact: true })
    .click()
  await backToChat(page)
  await offer(page, 'keep_me')
  await toSettings(page)
  await own.getByRole('button', { name: 'Delete keep_me' }).click()
  await expect(own).not.toContainText('keep_me')
  await page.getByRole('button', { name: windowText('chatTools:settings.functions.undo') }).click()
  await expect(own).toContainText('keep_me')
  await openPage(page, '#/chat')
  await addToMessage(page, 'Tools…')
  await expect(page.getByRole('dialog').getByRole('switch', { name: 'Use keep_me' })).toBeChecked()
})

test('a stdio server is off until switched on, asks before each call, and shows the result', { tag: '@long' }, async ({
  page,
}) => {
  await haveServer(page, 'local', { args: [stdio] })
  await offer(page, 'local_echo')
  await pickModel(page, scripted)
  script = once(call('local_echo', { text: 'hello from here' }))
  await send(page, 'Echo it.')
  await state(page, 'awaiting')
  await expect(card(page)).toContainText('Runs on the MCP server local, a program on this computer')
  await expect(card(page)).toContainText('stdio.ts')
  await expect(card(page)).toContainText('The server says that this tool only reads.')
  await expectAccessible(page)
  await takePictures(page, 'tools-awaiting', true)
  await pressInCard(page, windowText('chatTools:ask.once'))
  await state(page, 'done')
  await expect(lastReply(page)).toContainText('It said: hello from here')
  await page
    .locator('[data-tool-call]')
    .last()
    .getByRole('button', { name: /^Used echo/ })
    .click()
  await expect(card(page).getByRole('group', { name: windowText('chatTools:hand.result') })).toContainText(
    'hello from here',
  )

  await send(page, 'Once more.')
  await expect(cards(page, 'awaiting')).toHaveCount(1)
  await pressInCard(page, windowText('chatTools:ask.deny'))
  await card(page).getByLabel(windowText('chatTools:ask.reason')).fill('Not today')
  await page.keyboard.press('Enter')
  await state(page, 'denied')
  await expect(lastReply(page)).toContainText('Not today')
  await expectAccessible(page)
})

test('an HTTP server: approval for one chat, approval always, and Settings revokes it', { tag: '@long' }, async ({
  page,
}) => {
  await haveHttp(page)
  await offer(page, 'remote_add')
  await pickModel(page, scripted)
  script = once(call('remote_add', { a: 2, b: 3 }))
  await send(page, 'Add.')
  await pressInCard(page, windowText('chatTools:ask.conversation'))
  await expect(lastReply(page)).toContainText('"sum":5')
  await send(page, 'Again.')
  await expect(replies(page)).toHaveCount(2)
  await settled(page, 'complete')
  expect(mcp.state.called).toEqual(['add', 'add'])

  await newChat(page)
  await offer(page, 'remote_add')
  await send(page, 'Another chat asks anew.')
  await pressInCard(page, windowText('chatTools:ask.always'))
  await expect(lastReply(page)).toContainText('"sum":5')
  await newChat(page)
  await offer(page, 'remote_add')
  await send(page, 'And now none is asked.')
  await expect(lastReply(page)).toContainText('"sum":5')
  expect(mcp.state.called).toHaveLength(4)

  await toSettings(page)
  const always = page.getByRole('region', { name: windowText('chatTools:settings.always.title') })
  await always.getByRole('button', { name: 'Remove add from always allowed' }).click()
  await expect(always).toContainText('Every call needs approval')
  await backToChat(page)
  await offer(page, 'remote_add')
  await send(page, 'It asks again.')
  await state(page, 'awaiting')
  expect(mcp.state.called).toHaveLength(4)
})

test('arguments that are not JSON or break the schema are shown, reported to the model, and never run [CHAT-11]', async ({
  page,
}) => {
  await haveHttp(page)
  await offer(page, 'remote_add')
  await pickModel(page, scripted)
  script = ({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? { text: 'I see.' }
      : {
          calls: [
            { name: 'remote_add', arguments: '{"a": 1, "b": ' },
            call('remote_add', { a: 1, b: 'two' }),
            call('erase', {}),
          ],
        }
  await send(page, 'Be wrong.')
  await expect(lastReply(page)).toContainText('I see.')
  await expect(cards(page, 'invalid')).toHaveCount(2)
  await expect(cards(page, 'unknown_tool')).toHaveCount(1)
  await cards(page, 'invalid').first().getByRole('button').first().click()
  await expect(cards(page, 'invalid').first()).toContainText('Line 1, column 15: unexpected end.')
  const results = service.asked.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? []
  expect(results).toHaveLength(3)
  expect(String(results[0]?.content)).toContain('not valid')
  expect(String(results[1]?.content)).toContain('b')
  expect(mcp.state.called).toEqual([])
  await expectAccessible(page)
  await takePictures(page, 'tools-faults')
})

test('a running call stops at once, and its server is notified', { tag: '@long' }, async ({ page }) => {
  await haveHttp(page)
  await offer(page, 'remote_slow')
  await pickModel(page, scripted)
  script = once(call('remote_slow', { ms: 600_000 }))
  const cancelled = mcp.state.cancelled
  await send(page, 'Take your time.')
  await pressInCard(page, windowText('chatTools:ask.once'))
  await state(page, 'running')
  await expect.poll(() => mcp.state.called).toEqual(['slow'])
  await pressInCard(page, windowText('chatTools:card.stop'))
  await state(page, 'stopped')
  await expect.poll(() => mcp.state.cancelled).toBe(cancelled + 1)
})

test('a call that exceeds its time limit ends with a message', { tag: '@long' }, async ({ page }) => {
  await haveServer(page, 'hasty', { args: [stdio] }, 1)
  await offer(page, 'hasty_slow')
  await pickModel(page, scripted)
  script = once(call('hasty_slow', { ms: 600_000 }))
  await send(page, 'Too slow.')
  await pressInCard(page, windowText('chatTools:ask.once'))
  await state(page, 'timed_out')
  await expect(lastReply(page)).toContainText('did not answer within 1 s')
  await pressInCard(page, windowText('chatTools:outcome.action.timed_out'))
  await expect(page.getByRole('region', { name: windowText('chatTools:settings.servers.title') })).toBeVisible()
})

test('a reply with several rounds of tool calls is one card, and its actions are of the whole reply', {
  tag: '@long',
}, async ({ page }) => {
  await allowClipboard(page)
  await haveHttp(page)
  await offer(page, 'remote_echo', 'remote_add')
  await pickModel(page, scripted)
  script = ({ messages }) => {
    const results = messages.filter(({ role }) => role === 'tool').length
    if (results === 0) return { text: 'First I ask.', calls: [call('remote_echo', { text: 'deep water' })] }
    if (results === 1) return { calls: [call('remote_add', { a: 2, b: 3 })] }
    return { text: 'It is five.' }
  }
  await send(page, 'How many?')
  await pressInCard(page, windowText('chatTools:ask.conversation'))
  await expect(cards(page, 'awaiting')).toHaveCount(1)
  // The question is part of the reply.
  await expect(lastReply(page).locator('[data-tool-call]')).toHaveCount(2)
  await expectAccessible(page)
  await takePictures(page, 'reply-awaiting', true)
  await pressInCard(page, windowText('chatTools:ask.conversation'))
  const reply = lastReply(page)
  await expect(reply).toContainText('It is five.')
  await expect(replies(page)).toHaveCount(1)
  await expect(page.locator('.chat-who')).toHaveCount(2)
  await expect(reply.getByRole('heading', { name: scripted })).toHaveCount(1)
  await expect(reply.locator('time')).toHaveCount(1)
  await expect(reply.getByRole('button', { name: windowText('chat:moreActions') })).toHaveCount(1)

  // A finished call is one line, which opens to its arguments and its result.
  const line = reply.getByRole('button', { name: 'Used echo · remote' })
  await expect(line).toHaveAttribute('aria-expanded', 'false')
  expect((await reply.locator('[data-tool-call]').first().boundingBox())?.height).toBeLessThan(30)
  await expectAccessible(page)
  await takePictures(page, 'reply-rounds', true)
  await line.focus()
  await page.keyboard.press('Enter')
  await expect(reply.getByRole('group', { name: 'Arguments of remote_echo' })).toContainText('deep water')
  await expect(reply.getByRole('group', { name: windowText('chatTools:outcome.result') })).toHaveText('deep water')
  await expectAccessible(page)
  await takePictures(page, 'reply-line-open', true)

  await reply.getByRole('button', { name: windowText('chat:copyReply') }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('First I ask.\n\nIt is five.')
  const asked = service.asked.length
  await reply.getByRole('button', { name: windowText('chat:retry'), exact: true }).click()
  await expect(page.getByRole('group', { name: 'Reply 2 of 2' })).toBeVisible()
  await expect(lastReply(page)).toContainText('It is five.')
  expect(service.asked[asked]?.messages.map(({ role }) => role)).toEqual(['user'])
  await page.getByRole('group', { name: 'Reply 2 of 2' }).getByRole('button', { name: 'Previous' }).click()
  await expect(page.getByRole('group', { name: 'Reply 1 of 2' })).toBeVisible()
  await expect(lastReply(page).locator('[data-tool-call]')).toHaveCount(2)

  // Nothing follows the reply, so it is deleted at once, with all its parts, and comes back with them.
  await lastReply(page)
    .getByRole('button', { name: windowText('chat:moreActions') })
    .click()
  await page.getByRole('menuitem', { name: windowText('chat:remove'), exact: true }).click()
  await expect(page.getByText(windowText('chat:messagesRemoved', { count: 1 }))).toBeVisible()
  await expect(page.locator('.chat-talk')).not.toContainText('Reply 1 of 2')
  await page.getByRole('button', { name: windowText('chat:undo') }).click()
  await expect(page.getByRole('group', { name: 'Reply 1 of 2' })).toBeVisible()
  await expect(lastReply(page)).toContainText('It is five.')
})

test('after the maximum number of rounds the person is asked before the model continues', { tag: '@long' }, async ({
  page,
}) => {
  await haveHttp(page)
  await toSettings(page)
  await page.getByLabel(windowText('chatTools:settings.rounds.title')).fill('2')
  await page.keyboard.press('Enter')
  await backToChat(page)
  await offer(page, 'remote_echo')
  await pickModel(page, scripted)
  script = () => ({ calls: [call('remote_echo', { text: 'again' })] })
  await send(page, 'Never end.')
  await pressInCard(page, windowText('chatTools:ask.conversation'))
  await expect(page.getByText('The model has called tools 2 times in a row. Continue?')).toBeVisible()
  expect(service.asked).toHaveLength(2)
  await takePictures(page, 'tools-bound')
  script = () => ({ text: 'Enough.' })
  await page.getByRole('button', { name: windowText('chatTools:round.continue') }).click()
  await expect(lastReply(page)).toContainText('Enough.')
  expect(service.asked).toHaveLength(3)
  expect(mcp.state.called).toEqual(['echo', 'echo'])
})

/** Sends a message whose reply calls the HTTP server's tool `echo` once, with `text`. */
async function sendForEcho(page: Page, message: string, text: string): Promise<void> {
  await haveHttp(page)
  await offer(page, 'remote_echo')
  await pickModel(page, scripted)
  script = once(call('remote_echo', { text }))
  await send(page, message)
}

test('a reload loses no call that awaits approval, and the reply is the same', { tag: '@long' }, async ({ page }) => {
  await sendForEcho(page, 'Wait for me.', 'after the reload')
  await state(page, 'awaiting')
  await page.reload()
  await state(page, 'awaiting')
  await pressInCard(page, windowText('chatTools:ask.once'))
  // The card shows the call before the server receives it.
  await expect.poll(() => mcp.state.called).toEqual(['echo'])
  await expect(lastReply(page)).toContainText('after the reload')
})

test('several calls of one reply are approved together and answered in order, each with its id [CHAT-02] [CHAT-04]', {
  tag: '@long',
}, async ({ page }) => {
  await haveHttp(page)
  await offer(page, 'remote_echo', 'remote_add')
  await pickModel(page, scripted)
  script = once(
    call('remote_echo', { text: 'one' }),
    call('remote_add', { a: 1, b: 1 }),
    call('remote_echo', { text: 'three' }),
  )
  await send(page, 'All at once.')
  await expect(cards(page, 'awaiting')).toHaveCount(3)
  await takePictures(page, 'tools-several', true)
  await page.getByRole('button', { name: 'Allow all 3 once' }).click()
  await expect(cards(page, 'done')).toHaveCount(3)
  await expect(lastReply(page)).toContainText('It said: three')
  expect([...mcp.state.called].sort()).toEqual(['add', 'echo', 'echo'])
  const results = service.asked.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? []
  expect(results.map(({ content }) => content)).toEqual(['one', expect.stringContaining('"sum":2'), 'three'])
  const made = service.asked.at(-1)?.messages.find(({ role }) => role === 'assistant')?.tool_calls ?? []
  expect(made.map(({ function: { name } }) => name)).toEqual(['remote_echo', 'remote_add', 'remote_echo'])
  expect(new Set(made.map(({ id }) => id)).size).toBe(3)
  expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual(made.map(({ id }) => id))
})

test('tools, tool choice and parallel calls are sent as set; a model without tool support says so [CHAT-10] [CHAT-20] [GEN-04] [GEN-06]', async ({
  page,
}) => {
  await haveHttp(page)
  await offer(page, 'remote_echo')
  const picker = await allowOnly(page, 'remote_echo')
  await picker
    .getByRole('combobox', { name: windowText('chatTools:how.parallel') })
    .selectOption({ label: 'One at a time' })
  await page.keyboard.press('Escape')
  await pickModel(page, scripted)
  // An unknown finish reason: the reply is complete, and the reason is shown unchanged.
  script = () => ({ text: 'Nothing was called.', finish: 'eos_token' })
  await send(page, 'Look at the request.')
  await settled(page, 'complete')
  const [asked] = service.asked
  expect(asked?.tools?.map(({ function: { name } }) => name)).toEqual(['remote_echo'])
  expect(asked?.tool_choice).toEqual({ type: 'function', function: { name: 'remote_echo' } })
  expect(asked?.parallel_tool_calls).toBe(false)
  await openInspector(page)
  const ended = page
    .getByRole('region', { name: windowText('chat:lastReply') })
    .locator('dt', { hasText: /^Finish reason$/ })
  await expect(ended.locator('+ dd')).toHaveText('eos_token')

  await pickModel(page, 'writer-small')
  await send(page, 'And you?')
  await expect(replies(page)).toHaveCount(2)
  await settled(page, 'failed')
  const said = 'The service says: “The model writer-small does not support tools.”'
  await expect(lastReply(page).getByText(said)).toBeVisible()
  const hint = page.getByText('writer-small refused a request with tools before. It may refuse this one too.')
  await expect(hint).toBeVisible()
  await expectAccessible(page, '.chat-composer')
  await takePictures(page, 'tools-refused', true)
  await pickModel(page, scripted)
  await expect(hint).toHaveCount(0)
})

test('the raw view shows “strict”, the named tool choice and the reply [CHAT-10]', { tag: '@long' }, async ({
  page,
}) => {
  await toSettings(page)
  await page.getByRole('button', { name: windowText('chatTools:settings.functions.add') }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel(windowText('chatTools:settings.form.name')).fill('look_up')
  await form
    .getByRole('combobox', { name: windowText('chatTools:settings.form.start') })
    .selectOption({ label: 'One string' })
  await form.getByRole('switch', { name: windowText('chatTools:settings.form.strict') }).click()
  await form.getByRole('button', { name: windowText('chatTools:settings.form.add'), exact: true }).click()
  await expect(form).toHaveCount(0)
  await backToChat(page)
  await offer(page, 'look_up')
  const picker = await allowOnly(page, 'look_up')
  await page.keyboard.press('Escape')
  // A click outside of an open dialog would only close it.
  await expect(picker).toBeHidden()
  await pickModel(page, scripted)
  script = () => ({ text: 'Nothing needs looking up.' })
  await send(page, 'Show me the request.')
  await settled(page, 'complete')
  const { dialog: raw, body } = await openRawView(page)
  await expect(body).toContainText('Show me the request.')
  const shown = JSON.parse(await body.innerText()) as Asked
  expect(shown).toEqual(service.asked[0])
  expect(shown.tools?.map(({ function: { name, strict } }) => [name, strict])).toEqual([['look_up', true]])
  expect(shown.tool_choice).toEqual({ type: 'function', function: { name: 'look_up' } })
  await expectAccessible(page)
  await raw.getByRole('radio', { name: windowText('chat:rawReply') }).click()
  await expect(body).toContainText('Nothing needs looking up.')
})

test('a tool that changed after “always allow” asks again and shows its new description', { tag: '@long' }, async ({
  page,
}) => {
  await sendForEcho(page, 'Echo for ever.', 'as agreed')
  await pressInCard(page, windowText('chatTools:ask.always'))
  await expect(lastReply(page)).toContainText('as agreed')
  await toSettings(page)
  const always = page.getByRole('region', { name: windowText('chatTools:settings.always.title') })
  await expect(always.getByRole('button', { name: 'Remove echo from always allowed' })).toBeVisible()

  mcp.state.description = 'Sends it to everyone.'
  for (const update of mcp.state.servers) update(mcp.state.description)
  await expect(always).toContainText('Every call needs approval')
  await backToChat(page)
  await offer(page, 'remote_echo')
  await send(page, 'Echo again.')
  await state(page, 'awaiting')
  await expect(card(page)).toContainText('The server says: Sends it to everyone.')
  expect(mcp.state.called).toEqual(['echo'])
})

test('a call that awaits approval in two windows can be answered in either, and both show the result', {
  tag: '@long',
}, async ({ page, context }) => {
  await haveHttp(page)
  await offer(page, 'remote_add')
  await pickModel(page, scripted)
  script = once(call('remote_add', { a: 20, b: 22 }))
  await send(page, 'Add in two windows.')
  await state(page, 'awaiting')
  const other = await context.newPage()
  await other.goto(page.url())
  await card(other)
    .getByRole('button', { name: windowText('chatTools:ask.once') })
    .click()
  for (const window of [page, other]) {
    await state(window, 'done')
    await expect(lastReply(window)).toContainText('"sum":42')
  }
  expect(mcp.state.called).toEqual(['add'])
})

test('a pasted command is split into program and arguments, and the tools of the added server are on in the chat', {
  tag: '@long',
}, async ({ page }) => {
  await toSettings(page)
  await page.getByRole('button', { name: windowText('chatTools:settings.servers.add') }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(windowText('chatTools:settings.form.name'), { exact: true }).first().fill('whole')
  const program = dialog.getByLabel(windowText('chatTools:settings.servers.program'))
  await allowClipboard(page)
  await page.evaluate((line) => navigator.clipboard.writeText(line), `${node24()} '${stdio}' good --x "a b" '$HOME'`)
  await program.press('ControlOrMeta+v')
  await expect(program).toHaveValue(node24())
  await expect(dialog.getByLabel(windowText('chatTools:settings.server.args'))).toHaveValue(
    `${stdio}\ngood\n--x\na b\n$HOME`,
  )
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'tools-add-server', true)
  await dialog.getByRole('button', { name: windowText('chatTools:settings.gallery.addOn') }).click()
  await expect(page.getByText(windowText('chatTools:pick.addedNew', { name: 'whole' })).first()).toBeVisible({
    timeout: 60_000,
  })
  await takePictures(page, 'tools-added', true)
  await page.getByRole('button', { name: windowText('chatTools:pick.openChat') }).click()
  await addToMessage(page, 'Tools…')
  const picker = page.getByRole('dialog', { name: windowText('chatTools:title') })
  await expect(picker.getByRole('switch', { name: 'Use whole_echo', exact: true })).toBeChecked()
})

test('a typed command is split when the field is left or Enter is pressed, and a stored path with spaces stays whole', {
  tag: '@long',
}, async ({ page }) => {
  await toSettings(page)
  await page.getByRole('button', { name: windowText('chatTools:settings.servers.add') }).click()
  const dialog = page.getByRole('dialog')
  const program = dialog.getByLabel(windowText('chatTools:settings.servers.program'))
  const args = dialog.getByLabel(windowText('chatTools:settings.server.args'))
  await program.pressSequentially(`node server.mjs --x "a b"`)
  await program.press('Tab')
  await expect(program).toHaveValue('node')
  await expect(args).toHaveValue('server.mjs\n--x\na b')
  await args.fill('')
  await dialog.getByLabel(windowText('chatTools:settings.form.name'), { exact: true }).first().fill('spaces')
  await program.fill(`"/opt/my server/run"`)
  await program.press('Enter')
  await expect(dialog).toBeHidden()
  const added = serverCard(page, 'spaces')
  await added.getByRole('button', { name: 'More for spaces' }).click()
  await page.getByRole('menuitem', { name: windowText('chatTools:settings.servers.edit') }).click()
  await expect(program).toHaveValue('/opt/my server/run')
  await program.press('Tab')
  await expect(program).toHaveValue('/opt/my server/run')
  await expect(args).toHaveValue('')
})

test('a program that is not found and a server without tools each offer the next step', { tag: '@long' }, async ({
  page,
}) => {
  await toSettings(page)
  await page.getByRole('button', { name: windowText('chatTools:settings.servers.add') }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(windowText('chatTools:settings.form.name'), { exact: true }).first().fill('lost')
  await dialog.getByLabel(windowText('chatTools:settings.servers.program')).fill('no-such-program-4411')
  await dialog.getByRole('button', { name: windowText('chatTools:settings.gallery.addOn') }).click()
  const lost = serverCard(page, 'lost')
  await expect(lost.getByText(windowText('chatTools:settings.servers.failed'))).toBeVisible({ timeout: 60_000 })
  await expectAccessible(page)
  await takePictures(page, 'tools-lost', true)
  await expect(lost.getByRole('button', { name: windowText('chatTools:settings.servers.retry') })).toBeVisible()
  await lost.getByRole('button', { name: windowText('chatTools:settings.servers.edit') }).click()
  await expect(dialog.getByLabel(windowText('chatTools:settings.servers.program'))).toHaveValue('no-such-program-4411')
  await dialog.getByLabel(windowText('chatTools:settings.servers.program')).fill(node24())
  await dialog.getByLabel(windowText('chatTools:settings.server.args')).fill(`${stdio}\ntoolless`)
  await dialog.getByRole('button', { name: windowText('chatTools:settings.server.save') }).click()
  await expect(lost).toContainText(windowText('chatTools:settings.servers.offersNone'), { timeout: 60_000 })
  await expect(lost.getByRole('button', { name: windowText('chatTools:settings.servers.restart') })).toBeVisible()
})

test('a pasted configuration fills forms and starts nothing', { tag: '@long' }, async ({ page }) => {
  await toSettings(page)
  await page.getByRole('button', { name: windowText('chatTools:settings.paste.title') }).click()
  const field = page.getByLabel(windowText('chatTools:settings.paste.field'))
  await field.fill('{"mcpServers": {"pasted": {"command": "node" "args": []}}}')
  await expect(page.getByRole('dialog')).toContainText('Line 1, column 46')
  await field.fill(JSON.stringify({ mcpServers: { pasted: { command: node24(), args: [stdio, 'good'] } } }))
  await page.getByRole('button', { name: 'Review and add pasted' }).click()
  const form = page.getByRole('dialog', { name: windowText('chatTools:settings.servers.add') })
  await expect(form.getByLabel(windowText('chatTools:settings.server.args'))).toHaveValue(`${stdio}\ngood`)
  await form.getByRole('button', { name: windowText('chatTools:settings.form.add'), exact: true }).click()
  await expect(page.getByText(windowText('chatTools:settings.paste.taken'))).toBeVisible()
  await page.getByRole('button', { name: windowText('chatTools:settings.paste.done') }).click()
  await expect(
    serverCard(page, 'pasted').getByText(windowText('chatTools:settings.servers.state.off'), { exact: true }),
  ).toBeVisible()
  await expectAccessible(page)
  await takePictures(page, 'tools-settings', true)
  await page.getByRole('button', { name: 'More for pasted' }).click()
  await page.getByRole('menuitem', { name: windowText('chatTools:settings.servers.remove') }).click()
  await pressInDialog(page, windowText('chatTools:settings.always.remove'))
  await expect(serverCard(page, 'pasted')).toHaveCount(0)
  await expect(composer(page)).toHaveCount(0)
})

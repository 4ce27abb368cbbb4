import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { strToU8, zipSync } from 'fflate'
import { line, newChat } from '../../../tests/e2e/chatWorld.ts'
import {
  askModel,
  composer,
  growths,
  lastReply,
  openContext,
  pickModel,
  send,
  settled,
} from '../../../tests/e2e/journey.ts'
import { windowText } from '../../../tests/helpers/windowText.ts'
import { root } from '../ready.mjs'
import {
  type Connected,
  connect,
  disconnect,
  ended,
  fromTop,
  pressFirst,
  type Studio,
  sendAgain,
  showParts,
} from './scene.ts'

const documents = join(root, 'tests/fixtures/documents')
const dialog = (page: Page) => page.getByRole('dialog')

/** What goes into a message besides its text: documents, projects, and how full the context is. */
export const messageParts = (studio: Studio): Promise<void> => showParts(studio, attach, project, contextMeter)

async function attach({ page, camera }: Connected): Promise<void> {
  await pickModel(page, 'guide')
  await page
    .locator('.chat-composer input[type="file"]')
    .setInputFiles([join(documents, 'report-libreoffice.pdf'), join(documents, 'prices.xlsx')])
  const tray = page.getByRole('list', { name: windowText('documents:toSend') })
  await tray.getByText(/3 pages/).waitFor()
  await tray.getByText(/2 sheets/).waitFor()
  await composer(page).fill('When does the ferry leave?')
  await camera.shoot(page, 'documents')
  await pressFirst(tray, /^report/)
  const sentText = page.getByRole('region', { name: windowText('documents:textToSend') })
  await sentText.getByText('third page').waitFor()
  await camera.shoot(page, 'document-text')
  await page.keyboard.press('Escape')
  await composer(page).press('Enter')
  await ended(page, 'guide', 'complete')
  await camera.shoot(page, 'documents-sent', fromTop(page))
  await newChat(page)
  await page
    .locator('.chat-composer input[type="file"]')
    .setInputFiles([join(documents, 'scan.pdf'), join(documents, 'encrypted.pdf')])
  await tray.getByText(/per image/).waitFor()
  await tray.getByText(/password/).waitFor()
  await camera.shoot(page, 'scan-and-failure')
  for (const name of ['scan.pdf', 'encrypted.pdf'])
    await page.getByRole('button', { name: windowText('documents:remove', { name }) }).click()
  // A text in the encoding of an old editor.
  const old = Buffer.from('Fähre nach Süden: Abfahrt um sieben Uhr, Rückfahrt am Abend.\n', 'latin1')
  await page
    .locator('.chat-composer input[type="file"]')
    .setInputFiles({ name: 'timetable.txt', mimeType: 'text/plain', buffer: old })
  await pressFirst(tray, /^timetable/)
  await sentText.getByText('Abfahrt').waitFor()
  await camera.shoot(page, 'document-encoding')
  await page.getByRole('combobox', { name: windowText('documents:encoding') }).selectOption('windows-1251')
  await sentText.getByText('Fдhre').waitFor()
  await camera.shoot(page, 'document-encoding-wrong')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: windowText('documents:remove', { name: 'timetable.txt' }) }).click()
}

const guide = join(root, 'docs/guide')

async function project({ page, camera }: Connected): Promise<void> {
  await page.getByRole('button', { name: windowText('library:newFolder'), exact: true }).click()
  await page.getByLabel(windowText('library:name')).fill('Studio handbook')
  await page.getByLabel(windowText('library:folderInstructions')).fill('Quote the handbook, and name the page.')
  await page.locator('input[data-pinned]').setInputFiles([join(guide, 'start.md'), join(guide, 'data.md')])
  const listed = page.getByRole('region', { name: windowText('projects:files') }).getByRole('listitem')
  await listed.nth(1).waitFor()
  await camera.shoot(page, 'project-new')
  await dialog(page).getByText(windowText('chat:advanced')).click()
  await page.getByLabel(windowText('projects:wholeTokens')).fill('100')
  await page.getByRole('button', { name: windowText('library:create'), exact: true }).click()
  await dialog(page).waitFor({ state: 'detached' })
  await listed.getByText(windowText('projects:searched')).nth(1).waitFor()
  await camera.shoot(page, 'project')
  await page.getByRole('button', { name: windowText('library:newChatHere'), exact: true }).click()
  await composer(page).fill('Where is the API key stored?')
  const next = page.getByRole('list', { name: windowText('projects:next') })
  await next.getByText(/passages? from/).waitFor()
  await camera.shoot(page, 'project-chat')
  await next.getByRole('button', { name: /from \d files?/ }).click()
  await dialog(page).locator('.project-passage-text').first().waitFor()
  await camera.shoot(page, 'project-passages')
  await page.keyboard.press('Escape')
  await composer(page).press('Enter')
  await ended(page, 'guide', 'complete')
  await camera.shoot(page, 'project-cited')
  await pressFirst(lastReply(page), /^Source/)
  await page
    .getByRole('region', { name: windowText('projects:text') })
    .locator('mark')
    .waitFor()
  await camera.shoot(page, 'project-source')
  await page.keyboard.press('Escape')
}

/** Asks to remember the beginning of a page of the guide. @param length UTF-16 units; about four are one token */
const partOf = (page: string, length: number): string =>
  `Remember this page for my next question.\n\n${readFileSync(join(guide, `${page}.md`), 'utf8').slice(0, length)}`

async function contextMeter({ page, camera }: Connected): Promise<void> {
  await newChat(page)
  await pickModel(page, 'small-context')
  for (const word of ['start', 'chat']) {
    await send(page, partOf(word, 2_800))
    await settled(page, 'complete')
  }
  await openContext(page)
  await dialog(page).locator('.context-parts tfoot').waitFor()
  await camera.shoot(page, 'context')
  await page.keyboard.press('Escape')
  await send(page, partOf('local-api', 3_800))
  await settled(page, 'failed')
  await camera.shoot(page, 'context-full')
  await lastReply(page)
    .getByRole('button', { name: windowText('context:summariseOldest') })
    .click()
  await dialog(page)
    .getByText(/are sent to small-context/)
    .waitFor()
  await camera.shoot(page, 'summary-plan')
  await page.getByRole('button', { name: windowText('context:start'), exact: true }).click()
  await page.getByRole('textbox', { name: windowText('context:noteText') }).waitFor()
  await camera.shoot(page, 'summary-edit')
  await page.getByRole('button', { name: windowText('context:use'), exact: true }).click()
  await dialog(page).waitFor({ state: 'detached' })
  await camera.shoot(page, 'summary', fromTop(page))
}

/** Code blocks of a reply beside the chat. */
export async function preview(studio: Studio): Promise<void> {
  const world = await connect(studio)
  const { page, camera } = world
  const panel = page.getByRole('region', { name: windowText('preview:region') })
  const openIt = () =>
    lastReply(page)
      .getByRole('button', { name: windowText('preview:open'), exact: true })
      .click()
  const inside = page.frameLocator('.chat-preview-frame').frameLocator('iframe:not([data-loading])')
  await pickModel(page, 'document-writer')
  await send(page, 'Write a page about walks.')
  await growths(page, 5)
  await settled(page, 'complete')
  await camera.shoot(page, 'offer')
  await openIt()
  await inside.getByRole('heading', { name: 'Harbour walks' }).waitFor()
  await camera.shoot(page, 'page')
  await sendAgain(page, 'Make the last walk longer.')
  await inside.getByText('revision 2').waitFor()
  await panel.getByRole('radio', { name: windowText('preview:viewChanges') }).click()
  await panel
    .getByRole('region', { name: windowText('preview:viewChanges') })
    .locator('ins')
    .first()
    .waitFor()
  await camera.shoot(page, 'changes')
  for (const kind of ['csv', 'json', 'mermaid'] as const) {
    await newChat(page)
    await askModel(page, 'document-writer', `Write ${kind}.`)
    if (kind === 'mermaid')
      await lastReply(page)
        .getByRole('button', { name: windowText('markdown:draw') })
        .click()
    await openIt()
    if (kind === 'mermaid')
      await page.frameLocator('.chat-preview-frame').locator('svg').getByText('Lighthouse').waitFor()
    else
      await panel
        .getByRole(kind === 'csv' ? 'table' : 'group')
        .first()
        .waitFor()
    // A diagram is drawn again for another theme, without a sign of when it begins.
    const drawn = async () => {
      await page.waitForTimeout(1000)
      await page.frameLocator('.chat-preview-frame').locator('svg').getByText('Lighthouse').waitFor()
    }
    await camera.shoot(page, kind, kind === 'mermaid' ? { ready: drawn } : {})
  }
  await disconnect(world)
}

/** An export of ChatGPT that can be imported in part. */
function damagedExport(): Buffer {
  const chat = (title: string, answer: Record<string, unknown>) => {
    const at = (offset: number) => 1_790_000_000 + offset
    const node = (id: string, parent: string | null, role: string, content: unknown, offset: number) => ({
      id,
      parent,
      children: id === 'a' ? ['b'] : [],
      message: { id, author: { role }, create_time: at(offset), content },
    })
    const question = { content_type: 'text', parts: [title] }
    return {
      ...{ title, create_time: at(0), update_time: at(9), conversation_id: randomUUID(), current_node: 'b' },
      mapping: { a: node('a', null, 'user', question, 1), b: node('b', 'a', 'assistant', answer, 9) },
    }
  }
  const text = (...parts: unknown[]) => ({ content_type: 'multimodal_text', parts })
  const { mapping: _, ...empty } = chat('An empty chat', text(''))
  const first = [
    chat('How do I set a budget?', text('Set it in the settings of your account.')),
    chat('Read this page aloud', text('Here it is.', { content_type: 'audio_asset_pointer' })),
    chat('Show me a widget', { content_type: 'widget', state: 'open' }),
    empty,
    { title: 'Notes of March', mapping: 'x' },
  ]
  const second = JSON.stringify([chat('Where is my data stored?', text('On our servers.')), chat('Lost', text('?'))])
  return Buffer.from(
    zipSync({
      'conversations-000.json': strToU8(JSON.stringify(first)),
      'conversations-001.json': strToU8(second.slice(0, -30)),
    }),
  )
}

/** The list of chats: search, prompts, import, export, deleted and archived chats. */
export async function library(studio: Studio): Promise<void> {
  const world = await connect(studio)
  const { page, camera } = world
  for (const text of ['Which harbour is the oldest?', 'How do tides work?', 'Name a knot for a heavy rope.']) {
    await newChat(page)
    await askModel(page, 'mirror', text)
  }
  await page.getByRole('combobox', { name: windowText('library:search') }).fill('harbour')
  await page
    .getByText(/\d results?$/)
    .first()
    .waitFor()
  await camera.shoot(page, 'search')
  await page.getByRole('combobox', { name: windowText('library:search') }).fill('')
  await fromCommand(page, windowText('palette:commands.prompts'))
  await dialog(page).waitFor()
  await camera.shoot(page, 'prompts-empty')
  await pressFirst(dialog(page), windowText('library:promptNew'))
  await dialog(page).getByLabel(windowText('library:promptName')).fill('Letter to a harbour')
  await dialog(page)
    .getByLabel(windowText('library:promptText'), { exact: true })
    .fill('Write a letter to {{harbour}} about {{topic}}.')
  await camera.shoot(page, 'prompt-form')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await fromCommand(page, windowText('palette:commands.import'))
  await dialog(page).waitFor()
  await camera.shoot(page, 'import')
  await dialog(page)
    .locator('input[type="file"]')
    .setInputFiles({ name: 'chatgpt-export.zip', mimeType: 'application/zip', buffer: damagedExport() })
  await dialog(page).getByText(windowText('library:importPartly')).waitFor()
  await camera.shoot(page, 'import-report')
  await page.keyboard.press('Escape')
  await fromCommand(page, windowText('exporting:command'))
  await dialog(page)
    .getByRole('button', { name: /^(Export|Print…)$/ })
    .waitFor()
  await camera.shoot(page, 'export')
  await dialog(page)
    .getByRole('radio', { name: windowText('exporting:selection') })
    .check({ force: true })
  await dialog(page)
    .getByLabel(windowText('exporting:format'))
    .selectOption({ label: windowText('exporting:docx') })
  await camera.shoot(page, 'export-selection')
  await page.keyboard.press('Escape')
  const openMenu = async () => {
    await line(page, 'How do tides work?').hover()
    await page
      .getByRole('button', { name: windowText('library:more', { title: 'How do tides work?' }), exact: true })
      .click()
  }
  await openMenu()
  await camera.shoot(page, 'chat-menu')
  // A narrow window hides the list, and closes its menu.
  await openMenu()
  await page.getByRole('menuitem', { name: windowText('library:remove'), exact: true }).click()
  await page
    .getByText(windowText('library:removedOne', { title: 'How do tides work?' }))
    .first()
    .waitFor()
  await camera.shoot(page, 'deleted')
  await fromCommand(page, windowText('palette:commands.removed'))
  await page.getByText(windowText('library:removedAbout')).waitFor()
  await camera.shoot(page, 'recently-deleted')
  await disconnect(world)
}

/** Runs a command of the palette. */
export async function fromCommand(page: Page, command: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill(command)
  await page.keyboard.press('Enter')
}

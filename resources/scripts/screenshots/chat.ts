import type { Page } from '@playwright/test'
import { newChat } from '../../../tests/e2e/chatWorld.ts'
import {
  askModel,
  composer,
  lastReply,
  openInspector,
  openRawView,
  pickModel,
  send,
  settled,
} from '../../../tests/e2e/journey.ts'
import { windowText } from '../../../tests/helpers/windowText.ts'
import type { Camera } from './camera.ts'
import { type Connected, connect, disconnect, ended, fromTop, type Studio } from './scene.ts'

/** Chats with one model: empty, replies of every kind, and the dialogs around them. */
export async function chat(studio: Studio): Promise<void> {
  const world = await connect(studio)
  const { page, camera } = world
  await camera.shoot(page, 'empty')
  await page.getByRole('button', { name: /^Model/ }).click()
  await page.getByRole('combobox', { name: windowText('chat:searchModels') }).waitFor()
  await camera.shoot(page, 'model-picker')
  await page.keyboard.press('Escape')
  await askModel(page, 'guide', 'How do I connect Claude Code?')
  await camera.shoot(page, 'guide')
  await askModel(page, 'guide', 'Where is my API key stored?')
  await lastReply(page).getByRole('link', { name: 'First steps › Where the API key is stored' }).click()
  await page.getByRole('dialog', { name: windowText('help:title') }).waitFor()
  await camera.shoot(page, 'guide-page')
  await page.keyboard.press('Escape')
  await send(page, 'How do I set a budget?')
  await page.locator('article[data-status="streaming"] [data-part="text"]').waitFor()
  await page.waitForTimeout(1500)
  await camera.shoot(page, 'streaming')
  await settled(page, 'complete')
  await camera.shoot(page, 'reply')
  await openInspector(page, { advanced: true })
  await page.getByLabel(windowText('chat:paramTemperature')).first().fill('0.7')
  await camera.shoot(page, 'inspector')
  await page.getByRole('button', { name: windowText('common:inspector') }).click()
  await lastReply(page).hover()
  await lastReply(page)
    .getByRole('button', { name: windowText('chat:moreActions'), exact: true })
    .click()
  await camera.shoot(page, 'reply-menu')
  await page.keyboard.press('Escape')
  await openRawView(page)
  await camera.shoot(page, 'raw-request')
  await page.keyboard.press('Escape')
  await ends(world)
  await edits(page, world)
  await images(page, world)
  await tools(page, world)
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').waitFor()
  await camera.shoot(page, 'palette')
  await page.getByRole('dialog').getByRole('combobox').fill('theme')
  await camera.shoot(page, 'palette-search')
  await page.keyboard.press('Escape')
  await disconnect(world)
}

/** Replies that ended early. */
async function ends({ page, camera }: Connected): Promise<void> {
  await send(page, 'How do I export a chat?')
  await page.locator('article[data-role="assistant"][data-status="streaming"] [data-part="text"]').waitFor()
  await page.waitForTimeout(1500)
  await page.keyboard.press('Escape')
  await ended(page, 'guide', 'stopped')
  await camera.shoot(page, 'stopped')
  await pickModel(page, 'fault/429')
  await send(page, 'And as a PDF?')
  await ended(page, 'fault/429', 'failed')
  await camera.shoot(page, 'failed')
  await pickModel(page, 'fault/402')
  await send(page, 'And all chats at once?')
  await ended(page, 'fault/402', 'failed')
  await camera.shoot(page, 'no-credits')
}

/** Edits, versions, the search in a chat, and deleting a message. */
async function edits(page: Page, { camera }: Connected): Promise<void> {
  await newChat(page)
  await askModel(page, 'mirror', 'Which knot holds a boat at a pier?')
  const turn = page.locator('article[data-role="user"]').last()
  await turn.hover()
  await turn.getByRole('button', { name: windowText('chat:edit'), exact: true }).click()
  await page.getByLabel(windowText('chat:editText')).fill('Which knot holds a boat at a pier, and how is it tied?')
  await camera.shoot(page, 'edit')
  await page.getByLabel(windowText('chat:editText')).press('Enter')
  await page.getByText('2 / 2').first().waitFor()
  await ended(page, 'mirror', 'complete')
  await page.keyboard.press('Control+f')
  await page.getByRole('textbox', { name: windowText('chat:find') }).fill('boat')
  await page.waitForTimeout(400)
  await camera.shoot(page, 'versions-and-find')
  await page.keyboard.press('Escape')
  await turn.hover()
  await turn.getByRole('button', { name: windowText('chat:moreActions'), exact: true }).click()
  await page.getByRole('menuitem', { name: windowText('chat:remove'), exact: true }).click()
  await page.getByRole('alertdialog').or(page.getByRole('dialog')).first().waitFor()
  await camera.shoot(page, 'delete-message')
  await page.keyboard.press('Escape')
}

/** An image in the composer and in a message. */
async function images(page: Page, { camera }: Connected): Promise<void> {
  await newChat(page)
  await pickModel(page, 'vision')
  const buffer = await drawPicture(page)
  await page
    .locator('.chat-composer input[type="file"]')
    .setInputFiles({ name: 'harbour.png', mimeType: 'image/png', buffer })
  await page.locator('.composer-picture[data-state="ready"]').waitFor()
  await composer(page).fill('What is in this image?')
  await camera.shoot(page, 'image-attached')
  await page.getByRole('button', { name: windowText('chat:send'), exact: true }).click()
  await settled(page, 'complete')
  await camera.shoot(page, 'image-sent')
  await page.getByRole('button', { name: windowText('composer:addMenu') }).click()
  await camera.shoot(page, 'add-menu')
  await page.keyboard.press('Escape')
}

/** A drawing of the sea with a lighthouse, PNG. */
async function drawPicture(page: Page): Promise<Buffer> {
  const url = await page.evaluate(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 960, height: 640 })
    const draw = canvas.getContext('2d')
    if (!draw) throw new Error('There is no canvas.')
    const part = (colour: string, x: number, y: number, width: number, height: number) => {
      draw.fillStyle = colour
      draw.fillRect(x, y, width, height)
    }
    part('#f4b183', 0, 0, 960, 400)
    part('#2f5d8a', 0, 400, 960, 240)
    part('#fff', 640, 160, 70, 260)
    part('#c0392b', 640, 230, 70, 50)
    part('#333', 630, 130, 90, 34)
    return canvas.toDataURL('image/png')
  })
  return Buffer.from(url.split(',')[1] ?? '', 'base64')
}

/** A tool of the person: the call waits for its result. */
async function tools(page: Page, { camera }: Connected): Promise<void> {
  await page.evaluate(() => {
    location.hash = '#/settings/tools'
  })
  await page.getByRole('button', { name: windowText('chatTools:settings.functions.add') }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(windowText('chatTools:settings.form.name')).fill('get_tide')
  await dialog
    .getByLabel(windowText('chatTools:settings.form.description'))
    .fill('Returns the next high tide of a harbour.')
  await dialog
    .getByRole('combobox', { name: windowText('chatTools:settings.form.start') })
    .selectOption({ label: windowText('chatTools:settings.form.example.text') })
  await camera.shoot(page, 'tool-form')
  await dialog.getByRole('button', { name: windowText('chatTools:settings.form.add'), exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.evaluate(() => {
    location.hash = '#/chat'
  })
  await newChat(page)
  await page.getByRole('button', { name: windowText('composer:addMenu') }).click()
  await page.getByRole('menuitem', { name: windowText('composer:addTools'), exact: true }).click()
  await page
    .getByRole('dialog')
    .getByRole('switch', { name: windowText('chatTools:pick.switch', { name: 'get_tide' }) })
    .click()
  await camera.shoot(page, 'tool-picker')
  await page.keyboard.press('Escape')
  await pickModel(page, 'tool-caller')
  await send(page, 'Call get_tide for Husum, please.')
  await page.locator('[data-tool-call][data-state="by_hand"]').waitFor()
  await camera.shoot(page, 'tool-call')
  await modelBadges(page, camera)
}

/** The models with what their replies have shown: images, tool calls and prices. The list is as new as its opening. */
async function modelBadges(page: Page, camera: Camera): Promise<void> {
  await page.getByRole('button', { name: /^Model/ }).click()
  const list = page.getByRole('listbox', { name: windowText('chat:pickModel') })
  await list.getByRole('option', { name: 'vision' }).first().waitFor()
  await camera.shoot(page, 'model-badges')
  await page.keyboard.press('Escape')
}

/** Two to four models side by side. */
export async function compare(studio: Studio): Promise<void> {
  const world = await connect(studio)
  const { page, camera } = world
  const question = 'How do I set a budget?'
  await chooseModels(page, ['guide', 'mirror'])
  await camera.shoot(page, 'choosing')
  await page.keyboard.press('Escape')
  await ask(page, question, ['guide', 'mirror'])
  await camera.shoot(page, '2-models', fromTop(page))
  await newChat(page)
  await chooseModels(page, ['guide', 'mirror', 'vision'])
  await page.keyboard.press('Escape')
  await ask(page, question, ['guide', 'mirror', 'vision'])
  await camera.shoot(page, '3-models', fromTop(page))
  await newChat(page)
  const four = ['guide', 'mirror', 'vision', 'citer']
  await chooseModels(page, four)
  await page.keyboard.press('Escape')
  await ask(page, 'Is my data sent anywhere?', four)
  await camera.shoot(page, '4-models', fromTop(page))
  await page.getByRole('button', { name: windowText('chat:useReplyOne', { name: 'guide' }) }).click()
  await camera.shoot(page, '4-models-selected')
  await disconnect(world)
}

async function chooseModels(page: Page, [first = '', ...others]: string[]): Promise<void> {
  await pickModel(page, first)
  await page.getByRole('button', { name: /^Model/ }).click()
  await page.getByRole('radio', { name: windowText('chat:modelsCompare') }).click()
  for (const model of others) {
    await page.getByRole('combobox', { name: windowText('chat:searchModels') }).fill(model)
    await page.getByRole('option', { name: model }).first().click()
  }
}

async function ask(page: Page, text: string, models: string[]): Promise<void> {
  await composer(page).fill(text)
  await page
    .getByRole('button', {
      name: windowText('composer:sendToModels', { count: models.length }),
      exact: true,
    })
    .click()
  for (const model of models) await ended(page, model, 'complete')
}

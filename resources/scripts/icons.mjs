// `npm run icons`: draws the application's icons for all systems from src-renderer/icon.svg, with Chromium. Run it after a change of that file.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { chromiumArgs, findBrowser } from '../../tests/helpers/browser.mjs'
import { root } from './ready.mjs'

const svg = readFileSync(join(root, 'src-renderer', 'icon.svg'), 'utf8')
const folder = join(root, 'resources', 'package', 'icons')

/** Sizes in pixels. Linux takes one file each, Windows all in one. */
const linux = [16, 24, 32, 48, 64, 128, 256, 512]
const windows = [16, 24, 32, 48, 64, 128, 256]
/** Types of the ICNS format that hold a PNG, with their pixels. */
const mac = {
  icp4: 16,
  icp5: 32,
  ic11: 32,
  ic12: 64,
  ic07: 128,
  ic13: 256,
  ic08: 256,
  ic14: 512,
  ic09: 512,
  ic10: 1024,
}
/** Icons of macOS have a transparent margin: 824 of 1024 pixels are drawn. */
const macShare = 824 / 1024

const browser = await chromium.launch({ executablePath: await findBrowser(), args: chromiumArgs })
const page = await browser.newPage()

async function draw(size, share = 1) {
  await page.setViewportSize({ width: size, height: size })
  const drawn = size * share
  const style = `position:absolute;left:${(size - drawn) / 2}px;top:${(size - drawn) / 2}px;width:${drawn}px;height:${drawn}px`
  await page.setContent(`<body style="margin:0"><img style="${style}" src="data:image/svg+xml;base64,${btoa(svg)}">`)
  await page.locator('img').evaluate((image) => image.decode())
  return page.screenshot({ omitBackground: true, clip: { x: 0, y: 0, width: size, height: size } })
}

/** ICO: a directory of PNG images. A size of 256 is written as 0. */
function ico(images) {
  const head = Buffer.alloc(6 + 16 * images.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(images.length, 4)
  let offset = head.length
  for (const [index, { size, png }] of images.entries()) {
    const at = 6 + 16 * index
    head[at] = size % 256
    head[at + 1] = size % 256
    head.writeUInt16LE(1, at + 4)
    head.writeUInt16LE(32, at + 6)
    head.writeUInt32LE(png.length, at + 8)
    head.writeUInt32LE(offset, at + 12)
    offset += png.length
  }
  return Buffer.concat([head, ...images.map(({ png }) => png)])
}

/** ICNS: blocks of a type, a length that includes both fields, and a PNG. */
function icns(images) {
  const block = (type, body) => {
    const head = Buffer.alloc(8)
    head.write(type, 'latin1')
    head.writeUInt32BE(body.length + 8, 4)
    return Buffer.concat([head, body])
  }
  return block('icns', Buffer.concat(images.map(({ type, png }) => block(type, png))))
}

mkdirSync(folder, { recursive: true })
try {
  const plain = new Map()
  for (const size of new Set([...linux, ...windows])) plain.set(size, await draw(size))
  for (const size of linux) writeFileSync(join(folder, `${size}x${size}.png`), plain.get(size))
  writeFileSync(join(folder, 'icon.ico'), ico(windows.map((size) => ({ size, png: plain.get(size) }))))
  const padded = new Map()
  for (const size of new Set(Object.values(mac))) padded.set(size, await draw(size, macShare))
  writeFileSync(
    join(folder, 'icon.icns'),
    icns(Object.entries(mac).map(([type, size]) => ({ type, png: padded.get(size) }))),
  )
  writeFileSync(join(folder, 'source.sha256'), `${createHash('sha256').update(svg).digest('hex')}\n`)
} finally {
  await browser.close()
}

import { i18n } from '../../../i18n/index.ts'
import { directionOf } from '../../../i18n/language.ts'
import style from './document.css?inline'
import { ImageTooLong } from './errors.ts'
import type { ExportTask } from './labels.ts'
import { markupDocument } from './markupDocument.ts'

/** Width of the image in CSS pixels. */
const width = 760
/** Greatest height of a canvas in Chromium, pixels: https://chromium.googlesource.com/chromium/src/+/main/third_party/blink/renderer/core/html/canvas/ */
const maxHeight = 16_384

/**
 * The messages as one image, at twice the size while it fits. The document is an SVG image with XHTML in it, which needs no other file and
 * runs nothing. @throws ImageTooLong above 16,384 pixels
 */
export async function pngFile(task: ExportTask): Promise<Blob> {
  const markup = await markupDocument(task)
  const height = await heightOf(markup)
  if (height > maxHeight) throw new ImageTooLong()
  const scale = height * 2 <= maxHeight ? 2 : 1
  const content = new XMLSerializer().serializeToString(asElement(markup))
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><foreignObject width="100%" height="100%">${content}</foreignObject></svg>`
  const image = new Image(width, height)
  // A `data:` address: Chromium does not allow reading a canvas that has drawn a `blob:` image of XHTML.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = width * scale
  canvas.height = height * scale
  const context = canvas.getContext('2d')
  if (!context) throw new ImageTooLong()
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  task.signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new ImageTooLong())), 'image/png')
  })
}

function asElement(markup: string): HTMLElement {
  const parsed = new DOMParser().parseFromString(`<body>${markup}</body>`, 'text/html')
  const element = parsed.createElement('div')
  element.className = 'exported'
  // As in the window. The image inherits nothing from it, and Chinese and Japanese write the same characters in different forms.
  element.lang = i18n.language
  element.dir = directionOf(i18n.language)
  const sheet = parsed.createElement('style')
  sheet.textContent = style
  element.append(sheet, ...parsed.body.childNodes)
  return element
}

/** Height of the document at `width`, measured out of sight. */
async function heightOf(markup: string): Promise<number> {
  const box = document.createElement('div')
  box.setAttribute('aria-hidden', 'true')
  box.inert = true
  Object.assign(box.style, { position: 'fixed', left: '-10000px', top: '0', width: `${width}px` })
  const shadow = box.attachShadow({ mode: 'closed' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(style)
  shadow.adoptedStyleSheets = [sheet]
  const element = document.importNode(asElement(markup), true)
  element.querySelector('style')?.remove()
  shadow.append(element)
  document.body.append(box)
  try {
    await Promise.all([...element.querySelectorAll('img')].map((image) => image.decode().catch(() => undefined)))
    return Math.ceil(element.getBoundingClientRect().height)
  } finally {
    box.remove()
  }
}

import { i18n } from '../../../i18n/index.ts'
import { directionOf } from '../../../i18n/language.ts'
import style from './document.css?inline'
import { type ExportTask, titleOf } from './labels.ts'
import { escaped } from './markup.ts'
import { markupDocument } from './markupDocument.ts'

/** One HTML file that needs nothing else. Its policy allows nothing but its own style sheet and its embedded images. */
export async function htmlFile(task: ExportTask): Promise<Blob> {
  const body = await markupDocument(task)
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style))
  const sum = btoa(String.fromCharCode(...new Uint8Array(hash)))
  const policy = `default-src 'none'; img-src data:; style-src 'sha256-${sum}'; base-uri 'none'; form-action 'none'`
  const head = [
    `<!doctype html>\n<html lang="${i18n.language}" dir="${directionOf(i18n.language)}"><head><meta charset="utf-8">`,
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">',
    `<title>${escaped(titleOf(task.conversation))}</title><style>${style}</style></head><body class="exported">`,
  ]
  return new Blob([...head, body, '</body></html>\n'], { type: 'text/html' })
}

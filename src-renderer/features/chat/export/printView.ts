import style from './document.css?inline'

/** Hides the window behind the print view while it is printed, whatever its theme, also the view that Ctrl+P prints (`print/`). */
const around = `
@media screen { .exported-print { display: none } }
@media print {
  :root:root, :root:root > body { display: block !important; position: static !important; height: auto !important; overflow: visible !important; background: #fff }
  body > :not(.exported-print) { display: none !important }
  body > .exported-print { display: block !important }
}`

/**
 * Puts a document of `markupDocument` into the page, visible only in print: light, complete and without scroll containers. Returns a
 * function that removes it.
 */
export async function showPrintView(markup: string): Promise<() => void> {
  const parsed = new DOMParser().parseFromString(`<body>${markup}</body>`, 'text/html')
  const view = document.createElement('div')
  view.className = 'exported exported-print'
  view.setAttribute('aria-hidden', 'true')
  view.append(...parsed.body.childNodes)
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(style + around)
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
  document.body.append(view)
  // An image that is not decoded yet would be missing on paper.
  await Promise.all([...view.querySelectorAll('img')].map((image) => image.decode().catch(() => undefined)))
  return () => {
    view.remove()
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet)
  }
}

/** Prints a document. The browser's dialog also saves it as PDF, under the name `title`. */
export async function printDocument(markup: string, title: string): Promise<void> {
  const remove = await showPrintView(markup)
  const former = document.title
  document.title = title
  try {
    // Returns when the dialog is closed.
    window.print()
  } finally {
    document.title = former
    remove()
  }
}

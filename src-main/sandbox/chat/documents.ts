import type { Brief, ReplyDraft } from './brief.ts'
import { lastUserText } from './request.ts'

/** A document of a kind. `version` counts the replies of the conversation, from 1. */
type Document = (version: number) => { fence: string; text: string }

const page: Document = (version) => ({
  fence: 'html',
  text: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Harbour walks</title>
    <style>
      body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: #1d2733; background: #f4f7fa }
      header { padding: 24px; color: #fff; background: ${version % 2 === 1 ? '#1f5f8b' : '#7a3b69'} }
      main { padding: 24px }
      button { padding: 8px 14px; font: inherit }
    </style>
  </head>
  <body>
    <header><h1>Harbour walks</h1></header>
    <main>
      <p>${version === 1 ? 'Three walks along the water.' : `Three walks along the water, revision ${version}.`}</p>
      <ol>
        <li>The old pier, 2 km</li>
        <li>The lighthouse, 5 km</li>
        <li>${version === 1 ? 'The dunes, 8 km' : 'The dunes and back, 16 km'}</li>
      </ol>
      <button type="button" id="count">Walked: 0</button>
    </main>
    <script>
      let walked = 0
      const button = document.getElementById('count')
      button.addEventListener('click', () => { button.textContent = 'Walked: ' + ++walked })
      document.querySelector('main').append('Ready.')
    </script>
  </body>
</html>`,
})

const documents: Record<string, Document> = {
  svg: (version) => ({
    fence: 'svg',
    text: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 80">
  <title>Lighthouse</title>
  <rect width="120" height="80" fill="#dcebf5"/>
  <path d="M52 70 L56 24 H64 L68 70 Z" fill="${version % 2 === 1 ? '#b92b36' : '#1f5f8b'}"/>
  <circle cx="60" cy="18" r="7" fill="#f5c542"/>
</svg>`,
  }),
  markdown: (version) => ({
    fence: 'markdown',
    text: `# Packing list\n\n- [x] Rope\n- [ ] Map, edition ${version}\n\n| thing | weight |\n|---|--:|\n| Rope | 2.1 kg |`,
  }),
  mermaid: (version) => ({
    fence: 'mermaid',
    text: `graph TD\n  Pier --> Lighthouse\n  Lighthouse --> Dunes${version > 1 ? '\n  Dunes --> Pier' : ''}`,
  }),
  csv: (version) => ({
    fence: 'csv',
    text: `walk,km,"opened"\nThe old pier,2,1901\n"The lighthouse, outside",5,1876\nThe dunes,${version * 8},1990`,
  }),
  json: (version) => ({
    fence: 'json',
    text: JSON.stringify(
      {
        version,
        walks: [
          { name: 'The old pier', km: 2 },
          { name: 'The dunes', km: 8 },
        ],
      },
      null,
      2,
    ),
  }),
}

/** A document in a code block, of the kind that the last message names. Later replies contain the next version. */
export function writeDocument({ request }: Brief): ReplyDraft {
  const asked = lastUserText(request).toLowerCase()
  const named = Object.keys(documents).find((kind) => new RegExp(`\\b${kind}\\b`).test(asked))
  const version = request.messages.filter(({ role }) => role === 'assistant').length + 1
  const { fence, text } = (named && documents[named] ? documents[named] : page)(version)
  return {
    content: `Version ${version} of the document:\n\n\`\`\`${fence}\n${text}\n\`\`\`\n\nTell me what to change.\n`,
  }
}

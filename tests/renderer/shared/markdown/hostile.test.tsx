import { renderToStaticMarkup } from 'react-dom/server'
import { initReactI18next } from 'react-i18next'
import { beforeAll, describe, expect, it } from 'vitest'
import { en } from '../../../../src-renderer/i18n/en.ts'
import { i18n } from '../../../../src-renderer/i18n/index.ts'
import { factsOf, safeAddress } from '../../../../src-renderer/shared/markdown/address.ts'
import { Markdown } from '../../../../src-renderer/shared/markdown/Markdown.tsx'
import { hostileReplies } from '../../../helpers/hostile.ts'

beforeAll(async () => {
  await i18n.use(initReactI18next).init({ lng: 'en', resources: { en }, initAsync: false })
})

const html = (text: string): string => renderToStaticMarkup(<Markdown text={text} />)

/** Our own elements. Any other element would come from the reply, and a browser could act on it. */
const tags = new Set(
  'div p h3 h4 h5 h6 strong em del code br hr blockquote ul ol li input figure figcaption button pre section table thead tbody tr th td span svg path line circle rect sup aside wbr'.split(
    ' ',
  ),
)
const attributes =
  /^(?:class|type|aria-[a-z]+|title|role|tabindex|start|checked|disabled|scope|dir|data-(?:growing|wrap|align|tex|failed|waiting|name)|xmlns|width|height|viewBox|fill|stroke|stroke-width|stroke-linecap|stroke-linejoin|d|x|y|x1|x2|y1|y2|cx|cy|r|rx|ry)$/i

function violations(markup: string): string[] {
  const found: string[] = []
  for (const [, name = '', rest = ''] of markup.matchAll(/<([a-z0-9]+)((?:\s+[^\s=>"]+(?:="[^"]*")?)*)\s*\/?>/gi)) {
    if (!tags.has(name)) found.push(`<${name}>`)
    for (const [, attribute = ''] of rest.matchAll(/\s([^\s=>"]+)(?:="[^"]*")?/g)) {
      if (!attributes.test(attribute)) found.push(`${name} ${attribute}`)
    }
  }
  return found
}

const payloads = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<a href="javascript:alert(1)">x</a>',
  '<style>*{display:none}</style>',
  '<base href="https://evil.example/">',
  '<form action="https://evil.example"><input name=key></form>',
  '<div id="root" class="chat-composer" style="position:fixed;inset:0">x</div>',
  '<meta http-equiv="refresh" content="0;url=https://evil.example">',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](java\nscript:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](<javascript:alert(1)>)',
  '[x](data:text/html,<script>alert(1)</script>)',
  '[x](vbscript:msgbox(1))',
  '[x](file:///etc/passwd)',
  '[x](blob:https://a/b)',
  '[x](//evil.example)',
  '[x]\n\n[x]: javascript:alert(1)',
  '<javascript:alert(1)>',
  '![x](https://evil.example/pixel.png)',
  '![x](javascript:alert(1))',
  '![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)',
  '![x][p]\n\n[p]: https://evil.example/p.png "t\\" onerror=\\"alert(1)"',
  '[x](https://a.example "t\\" onmouseover=\\"alert(1)")',
  '```"><script>alert(1)</script>\ncode\n```',
  '```js onload=alert(1) class=x\n</code></pre><script>alert(1)</script>\n```',
  '| <script>alert(1)</script> |\n|---|\n| <img src=x onerror=alert(1)> |',
  '- [x] <input autofocus onfocus=alert(1)>',
  '[^__proto__]\n\n[^__proto__]: <b onclick=alert(1)>',
  '[constructor]\n\n[constructor]: javascript:alert(1)',
  '# <h1 id=location>x</h1>',
  'a\u2028<script>alert(1)</script>',
  '\\<script>alert(1)</script>',
  '`<script>`<script>alert(1)</script>',
  '<!-- --><script>alert(1)</script>',
  '<![CDATA[<script>alert(1)</script>]]>',
  '<?php echo 1 ?>',
]

describe('a hostile reply', () => {
  it('is checked by a function that finds foreign elements and attributes', () => {
    expect(violations('<p id="x"><script></script><a href="y"></a></p>')).toEqual(['p id', '<script>', '<a>', 'a href'])
  })

  it.each(payloads)('leaves only our own elements and attributes: %j', (payload) => {
    for (const text of [payload, `> ${payload}`, `- ${payload}`, `text **${payload}`, `x\n\n${payload}\n\ny`]) {
      expect(violations(html(text))).toEqual([])
    }
  })

  it('is one of at least 120 kinds', () => expect(hostileReplies().length).toBeGreaterThanOrEqual(120))

  // Checks the result, and that it is computed quickly. How fast a browser draws it is not tested here.
  it.each(hostileReplies())(
    'leaves only our own elements and attributes, quickly: $name',
    ({ text }) => {
      const begun = performance.now()
      expect(violations(html(text))).toEqual([])
      expect(performance.now() - begun).toBeLessThan(30_000)
    },
    40_000,
  )

  it('shows raw HTML as text', () => {
    expect(html('<b>x</b> **y**')).toBe(
      '<div class="md" data-growing="false"><div class="md-section"><p dir="auto">&lt;b&gt;x&lt;/b&gt; <strong>y</strong></p></div></div>',
    )
  })

  it('loads no image, and shows its alternative text and address instead', () => {
    const markup = html('![a chart](https://evil.example/p.png)')
    expect(markup).not.toContain('<img')
    expect(markup).toContain('a chart')
    expect(markup).toContain('https://evil.example/p.png')
  })

  it.each(['javascript:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///x', '/relative', 'java\tscript:x', ''])(
    'has no link for %j',
    (url) => expect(safeAddress(url)).toBeNull(),
  )

  it('survives ten thousand levels of nesting', () => {
    for (const text of [
      '>'.repeat(10_000),
      '- '.repeat(5_000),
      '['.repeat(10_000),
      '*a '.repeat(3_000),
      '**_'.repeat(3_000),
    ])
      expect(html(`${text}end`)).toContain('end')
  })
})

describe('a harmless reply', () => {
  it('draws tables, tasks, nested lists, footnotes, code, headings and links', () => {
    const markup = html(
      '## T\n\n|a|b|\n|:-|-:|\n|1|2|\n\n- [x] done\n- [ ] open\n\n1. one\n   - in\n\nNote[^1] [l](https://e.example/)\n\n```js\nlet a\n```\n\n[^1]: The note.\n',
    )
    expect(markup).toContain('<h4 class="md-h2" dir="auto">T</h4>')
    expect(markup).toContain('<td dir="auto" data-align="right">2</td>')
    expect(markup).toContain('type="checkbox"')
    expect(markup).toMatch(/<ol start="1"><li dir="auto">one<ul><li dir="auto">in<\/li><\/ul><\/li><\/ol>/)
    expect(markup).toContain('<sup class="md-footmark" title="Footnote 1">1</sup>')
    expect(markup).toContain('The note.')
    expect(markup).toContain('title="https://e.example/"')
    expect(markup).toContain('let a')
  })
})

describe('the target of a link', () => {
  it.each([
    ['https://xn--80ak6aa92e.com/', { host: 'xn--80ak6aa92e.com', decoded: 'аррӏе.com', lookalike: true }],
    ['https://xn--mnchen-3ya.de/', { decoded: 'münchen.de', lookalike: false }],
    ['https://xn--e1afmkfd.xn--p1ai/', { decoded: 'пример.рф', lookalike: false }],
    ['https://bank.example@evil.example/', { host: 'evil.example', user: 'bank.example' }],
    ['https://a%E2%80%AEb@evil.example/', { user: 'a[RLO]b' }],
    ['http://2130706433/', { host: '127.0.0.1', numeric: true }],
    ['mailto:a@b.example', { host: 'a@b.example', user: null }],
    [
      'https://example.com:8443/x',
      { host: 'example.com:8443', decoded: null, user: null, lookalike: false, numeric: false },
    ],
  ])('is shown for %s', (address, facts) => expect(factsOf(address)).toMatchObject(facts))
})

/* The page inside the frame of a preview. It has an opaque origin, no network and a process of its own (its headers are in
   src-main/hosts/csp.ts). It shows a document of a reply in a further frame, which inherits all of that. It is a plain script, which the
   build puts into the page: a policy that named our origin would let the document load our files. */
{
  const say = (words: object): void => parent.postMessage(words, '*')

  /**
   * Elements that load, navigate or connect, also where the policy has no directive for it (`<link rel="preconnect">`), and those that
   * open another document, in which scripts would run without `restrict`. Each has a replacement without effect. `basefont` is void and
   * `noframes` hides its content; both may be in a head.
   */
  const banned: Record<string, string> = {
    ...{
      link: 'basefont',
      meta: 'basefont',
      base: 'basefont',
      embed: 'basefont',
      frame: 'basefont',
      noscript: 'noframes',
    },
    ...{ iframe: 'x-iframe', frameset: 'x-frameset', fencedframe: 'x-fencedframe', portal: 'x-portal' },
    ...{ object: 'x-object', applet: 'x-applet' },
  }

  /**
   * Returns a function that renames the banned elements of a text. A parser starts an element at `<` and the literal name, in whatever
   * state it is, so nothing that the parser would see as one of them remains. In XML, a prefix may precede the name.
   */
  function renamer(names: Record<string, string>): (html: string) => string {
    const tags = new RegExp(`<(/?(?:[^\\s<>/:]*:)?)(${Object.keys(names).join('|')})(?![^\\s/>])`, 'gi')
    return (html) => html.replace(tags, (_, before: string, name: string) => `<${before}${names[name.toLowerCase()]}`)
  }
  const withoutBanned = renamer(banned)

  /**
   * Runs first in a document whose scripts may run. Removes WebRTC, which no policy of this browser blocks, and every way to create
   * elements that `withoutBanned` has not seen. Trusted Types make the browser pass each text that becomes HTML to the default policy.
   */
  function restrict(names: Record<string, string>, clean: (html: string) => string): void {
    const view = globalThis as unknown as Record<string, unknown> & typeof globalThis
    for (const name of Object.getOwnPropertyNames(view)) {
      if (/^(?:webkit)?RTC|^XSLTProcessor$|^(?:webkit)?Speech/.test(name)) delete view[name]
    }
    interface Rules {
      createHTML: (html: string) => string
      createScript: (script: string, type: string, sink: string) => string | null
      createScriptURL: (url: string) => string
    }
    const { trustedTypes } = view as unknown as {
      trustedTypes: { createPolicy: (name: string, rules: Rules) => unknown }
    }
    trustedTypes.createPolicy('default', {
      createHTML: clean,
      // The result of a `javascript:` address would be a document without these restrictions.
      createScript: (script, _type, sink) => (/location/i.test(sink) ? null : script),
      createScriptURL: (url) => url,
    })
    /** Converts the argument to text once, so that a second conversion can't give another name. */
    const renaming = (prototype: object, method: string, at: number): void => {
      const native = Reflect.get(prototype, method) as (...given: unknown[]) => unknown
      Object.defineProperty(prototype, method, {
        value(this: unknown, ...given: unknown[]) {
          if (given.length > at && given[at] !== null) {
            const name = String(given[at] as string)
            const bare = name.slice(name.lastIndexOf(':') + 1).toLowerCase()
            given[at] = Object.hasOwn(names, bare) ? names[bare] : name
          }
          return native.apply(this, given)
        },
      })
    }
    renaming(Document.prototype, 'createElement', 0)
    renaming(Document.prototype, 'createElementNS', 1)
    renaming(DOMImplementation.prototype, 'createDocument', 1)
    const { define } = CustomElementRegistry.prototype
    Object.defineProperty(CustomElementRegistry.prototype, 'define', {
      // Without options: an element that extends a built-in one could be a frame.
      value(this: CustomElementRegistry, name: string, element: CustomElementConstructor) {
        define.call(this, name, element)
      },
    })
    const { parseFromString } = DOMParser.prototype
    Object.defineProperty(DOMParser.prototype, 'parseFromString', {
      value(this: DOMParser, given: unknown, kind: unknown) {
        const [text, type] = [String(given), String(kind)]
        // An entity could contain an element in a form that `clean` can't see.
        if (type !== 'text/html' && /<!(?:doctype|entity)/i.test(text)) throw new TypeError('Blocked in a preview.')
        return parseFromString.call(this, text, type as DOMParserSupportedType)
      },
    })
    // Otherwise a document would take the focus of the page, and receive what the person writes there.
    for (const { prototype } of [HTMLElement, SVGElement, MathMLElement]) {
      const { focus } = prototype
      Object.defineProperty(prototype, 'focus', {
        value(this: HTMLElement, options?: FocusOptions) {
          if (document.hasFocus()) focus.call(this, options)
        },
      })
    }
    // Parsers that are not covered by Trusted Types, or that take a text in pieces.
    const covered = /^(?:innerHTML|outerHTML|insertAdjacentHTML|getHTML)$/
    for (const holder of [Element.prototype, ShadowRoot.prototype, Document.prototype, Document] as object[]) {
      for (const name of Object.getOwnPropertyNames(holder))
        if (/html/i.test(name) && !covered.test(name)) Reflect.deleteProperty(holder, name)
    }
    for (const name of ['write', 'writeln']) {
      Object.defineProperty(Document.prototype, name, {
        value(this: Document, ...parts: unknown[]) {
          ;(this.body ?? this.documentElement).insertAdjacentHTML('beforeend', parts.join(''))
        },
      })
    }
  }

  const policy = (text: string): string => `<meta http-equiv="Content-Security-Policy" content="${text}">`
  const inert = policy("script-src 'none'")
  const running =
    policy("require-trusted-types-for 'script'; trusted-types default") +
    `<script>{const names=${JSON.stringify(banned)};(${String(restrict)})(names,(${String(renamer)})(names))}document.currentScript.remove()</script>`

  /**
   * The document with its restrictions before everything else. A doctype of its own stays first. Without the base, a link to a place in the
   * document would lead to our address.
   */
  const documentOf = (html: string, scripts: boolean): string => {
    const cleaned = withoutBanned(html)
    const doctype = /^\s*<!doctype[^>]*>/i.exec(cleaned)?.[0] ?? ''
    return `${doctype || '<!doctype html>'}<meta charset="utf-8"><base href="about:srcdoc">${scripts ? running : inert}${cleaned.slice(doctype.length)}`
  }

  /** The frame that is loading. It replaces the one before when it has loaded, so that growing documents don't flicker. */
  let coming: HTMLIFrameElement | null = null

  const showDocument = (html: string, scripts: boolean): void => {
    coming?.remove()
    const frame = document.createElement('iframe')
    coming = frame
    frame.setAttribute('sandbox', scripts ? 'allow-scripts' : '')
    frame.setAttribute('referrerpolicy', 'no-referrer')
    frame.title = 'Preview'
    frame.dataset.loading = ''
    frame.addEventListener('load', () => {
      // A link was clicked. Its navigation was blocked, and an error page has replaced the document.
      if (coming === null && !scripts) showDocument(html, scripts)
      if (coming !== frame) return
      coming = null
      for (const other of [...document.body.children]) if (other !== frame) other.remove()
      delete frame.dataset.loading
      say({ type: 'shown' })
    })
    frame.srcdoc = documentOf(html, scripts)
    document.body.append(frame)
  }

  /** Well-formed XML of a picture that may be incomplete. An HTML parser closes what is open. */
  const repaired = (svg: string): string => {
    const root = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg')
    return root ? new XMLSerializer().serializeToString(root) : ''
  }

  /** As an image a picture runs no scripts and loads nothing. */
  const showPicture = (svg: string, mayRepair: boolean): void => {
    const image = new Image()
    image.alt = ''
    const fail = (): void => {
      const whole = mayRepair ? repaired(svg) : ''
      if (whole === '') say({ type: 'failed' })
      else showPicture(whole, false)
    }
    image.addEventListener('load', () => {
      // XML without an image loads too.
      if (image.naturalWidth === 0) {
        fail()
        return
      }
      coming?.remove()
      coming = null
      document.body.replaceChildren(image)
      say({ type: 'shown' })
    })
    image.addEventListener('error', fail)
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg.toWellFormed())}`
  }

  addEventListener('message', ({ source: from, data }) => {
    if (from !== parent) return
    if (data?.type === 'ping') say({ type: 'pong', at: data.at })
    if (data?.type !== 'show' || typeof data.text !== 'string') return
    if (data.kind === 'svg') showPicture(data.text, true)
    else showDocument(data.text, data.scripts === true)
  })
  say({ type: 'ready' })
}

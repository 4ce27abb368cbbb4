/*
 * The page inside of a diagram's frame. It has an origin of its own that nothing shares, no network and no storage (its policy stands
 * in src-main/hosts/csp.ts). A plain script: a module would be fetched with CORS, which an origin of nobody does not pass.
 */
interface MermaidScript {
  initialize: (options: object) => void
  render: (id: string, source: string) => Promise<{ svg: string }>
}
{
  const say = (words: object): void => parent.postMessage(words, '*')
  const { mermaid } = globalThis as unknown as { mermaid: MermaidScript }

  /** Would load or run something by standing in the page, even in an element that is nowhere in it. */
  const actors =
    'script, iframe, object, embed, img, image, feImage, video, audio, source, track, link, meta, base, form, input'
  const loads = /^(?:src|srcset|data|poster|background|formaction|action|ping)$/i

  /** Event attributes renamed in whatever reads as a tag: a document that is only looked at reports them as well, so this comes before. */
  const unheard = (html: string): string =>
    html.replace(/<[a-z](?:[^"'>]|"[^"]*"|'[^']*')*>?/gi, (tag) =>
      tag.replace(/([\s"'/])on(?=[a-z]+\s*=)/gi, '$1data-'),
    )

  const disarm = (root: ParentNode): void => {
    for (const element of root.querySelectorAll('*')) {
      if (element.matches(actors)) element.remove()
      for (const { name } of [...element.attributes]) if (loads.test(name)) element.removeAttribute(name)
    }
  }

  /*
   * Mermaid sets labels as HTML here and there, to measure, clean or decode them. The frame's policy lets nothing of it act, but says so
   * aloud; so whatever is set as HTML is parsed in a document where nothing is loaded, and disarmed there.
   */
  const inert = document.implementation.createHTMLDocument('')
  const native = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML')
  const setNative = native?.set
  if (!setNative) throw new Error('This browser sets no HTML.')
  Object.defineProperty(Element.prototype, 'innerHTML', {
    ...native,
    set(this: Element, given: string | null) {
      const html = unheard(`${given ?? ''}`)
      if (this.ownerDocument !== document || this instanceof HTMLTemplateElement) {
        setNative.call(this, html)
        return
      }
      const double = inert.importNode(this, false)
      setNative.call(double, html)
      disarm(double)
      this.replaceChildren(...double.childNodes)
    },
  })
  const { parseFromString } = DOMParser.prototype
  DOMParser.prototype.parseFromString = function (text, type) {
    return parseFromString.call(this, unheard(String(text)), type)
  }
  const { setAttribute } = Element.prototype
  Element.prototype.setAttribute = function (name, value) {
    if (!/^on/i.test(name)) setAttribute.call(this, name, value)
  }

  /** Bounds that a diagram's own directives can't change: `secure` names them. */
  const bounds = {
    startOnLoad: false,
    securityLevel: 'strict',
    htmlLabels: false,
    maxTextSize: 20_000,
    maxEdges: 600,
    suppressErrorRendering: true,
    deterministicIds: true,
    fontFamily: 'system-ui, sans-serif',
    themeCSS: '',
  }

  /** Takes out whatever would lead out of the picture: links, pictures, foreign elements, event attributes. */
  const cleaned = (svg: string): SVGSVGElement | null => {
    const root = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg')
    if (!root) return null
    for (const element of [root, ...root.querySelectorAll('*')]) {
      if (
        /^(?:script|foreignobject|image|feimage|iframe|object|embed|animate|set|animatetransform|link)$/i.test(
          element.localName,
        )
      ) {
        element.remove()
        continue
      }
      for (const { name, value } of [...element.attributes]) {
        const leads = /(?:^|:)href$/i.test(name) && !value.startsWith('#')
        if (leads || /^on/i.test(name) || name === 'target') element.removeAttribute(name)
      }
    }
    return root
  }

  const draw = async (source: string, dark: boolean): Promise<void> => {
    mermaid.initialize({
      ...bounds,
      secure: ['secure', ...Object.keys(bounds), 'dompurifyConfig', 'theme', 'themeVariables'],
      theme: dark ? 'dark' : 'default',
    })
    const { svg } = await mermaid.render('drawn', source)
    const root = cleaned(svg)
    if (!root) throw new Error('Nothing was drawn.')
    const { width, height } = root.viewBox.baseVal
    root.style.maxWidth = 'none'
    document.body.replaceChildren(root)
    const size = {
      width: width || root.getBoundingClientRect().width,
      height: height || root.getBoundingClientRect().height,
    }
    const scaleTo = (scale: number): void => {
      root.setAttribute('width', String(size.width * scale))
      root.setAttribute('height', String(size.height * scale))
    }
    scaleTo(1)
    addEventListener('message', ({ source: from, data }) => {
      if (from === parent && data?.type === 'scale' && data.scale > 0 && data.scale < 10) scaleTo(data.scale)
    })
    say({ type: 'drawn', ...size })
  }

  addEventListener('message', ({ source: from, data }) => {
    if (from !== parent || data?.type !== 'draw' || typeof data.source !== 'string') return
    draw(data.source, data.dark === true).catch((thrown: unknown) => {
      document.body.replaceChildren()
      say({ type: 'failed', reason: thrown instanceof Error ? thrown.message : String(thrown) })
    })
  })
  // A click in a picture leads nowhere.
  addEventListener('click', (event) => event.preventDefault(), true)
  say({ type: 'ready' })
}

/* The page inside a diagram's frame. It has an opaque origin, no network and no storage (its policy is in src-main/hosts/csp.ts). It is
   a plain script, because a module is fetched with CORS, which an opaque origin does not pass. */
interface MermaidScript {
  initialize: (options: object) => void
  render: (id: string, source: string) => Promise<{ svg: string }>
}
{
  const say = (words: object): void => parent.postMessage(words, '*')
  const { mermaid } = globalThis as unknown as { mermaid: MermaidScript }

  /** Elements and attributes that would load or run something when inserted into a page, even into a detached element. */
  const actors =
    'script, iframe, object, embed, img, image, feImage, video, audio, source, track, link, meta, base, form, input'
  const loads = /^(?:src|srcset|data|poster|background|formaction|action|ping)$/i

  /**
   * Renames event attributes in everything that looks like a tag. Parsing alone already reports them as policy violations, so this runs
   * first.
   */
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

  /* Mermaid sets labels as HTML in several places, to measure, clean or decode them. The frame's policy blocks any effect but reports
     violations. So this document, which loads nothing, parses and cleans all HTML first. */
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

  /** Limits that a diagram's own directives cannot change, because `secure` names them. */
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

  /** The window's colours instead of Mermaid's, whose boxes have a border that fades and a bright shadow on a dark page. */
  const flat = { useGradient: false, dropShadow: 'none' }
  const lightColours = {
    ...flat,
    mainBkg: '#eef1fd',
    nodeBorder: '#8ea3e6',
    clusterBkg: '#f6f6f4',
    clusterBorder: '#cfcec7',
    lineColor: '#6b6a64',
    edgeLabelBackground: '#fcfcfb',
    textColor: '#1d1c1a',
    nodeTextColor: '#1d1c1a',
  }
  const darkColours = {
    ...flat,
    mainBkg: '#252d49',
    nodeBorder: '#5d74c4',
    clusterBkg: '#1d1d21',
    clusterBorder: '#47474f',
    lineColor: '#a3a3ad',
    edgeLabelBackground: '#161618',
    textColor: '#ededef',
    nodeTextColor: '#ededef',
  }

  /** Removes everything that could leave the picture: links, images, foreign elements, event attributes. */
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

  /** Scales the current diagram. */
  let scaleDrawn: (scale: number) => void = () => undefined

  const draw = async (source: string, dark: boolean): Promise<void> => {
    mermaid.initialize({
      ...bounds,
      secure: ['secure', ...Object.keys(bounds), 'dompurifyConfig', 'theme', 'themeVariables'],
      theme: dark ? 'dark' : 'default',
      themeVariables: dark ? darkColours : lightColours,
    })
    const { svg } = await mermaid.render('drawn', source)
    const root = cleaned(svg)
    if (!root) throw new Error('Mermaid drew nothing.')
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
    scaleDrawn = scaleTo
    say({ type: 'drawn', ...size })
  }

  /** One drawing at a time: Mermaid draws in an element with a fixed id. */
  let drawing = Promise.resolve()
  /** Number of the newest request. Older ones that have not begun are skipped. */
  let newest = 0

  addEventListener('message', ({ source: from, data }) => {
    if (from === parent && data?.type === 'scale' && data.scale > 0 && data.scale < 10) scaleDrawn(data.scale)
    if (from !== parent || data?.type !== 'draw' || typeof data.source !== 'string') return
    const number = ++newest
    drawing = drawing
      .then(() => (number === newest ? draw(data.source, data.dark === true) : undefined))
      .catch((thrown: unknown) => {
        if (data.again !== true) document.body.replaceChildren()
        say({ type: 'failed', reason: thrown instanceof Error ? thrown.message : String(thrown) })
      })
  })
  // Disables clicks in a diagram, for example on links.
  addEventListener('click', (event) => event.preventDefault(), true)
  say({ type: 'ready' })
}

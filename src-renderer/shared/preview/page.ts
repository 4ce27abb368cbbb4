/* The page inside the frame of a preview. It has an opaque origin, no network and a process of its own (its headers are in
   src-main/hosts/csp.ts). It shows a document of a reply in a further frame, which inherits all of that and runs no scripts. It is a plain
   script, which the build puts into the page: a policy that named our origin would let the document load our files. */
{
  const say = (words: object): void => parent.postMessage(words, '*')

  /**
   * Elements that load, navigate or connect, also where no policy of every browser has a directive for it (`<link rel="preconnect">`), and
   * those that open another document, whose text `withoutBanned` would not see. Each has a replacement without effect. `basefont` is void
   * and `noframes` hides its content; both may be in a head.
   */
  const banned: Record<string, string> = {
    link: 'basefont',
    meta: 'basefont',
    base: 'basefont',
    embed: 'basefont',
    frame: 'basefont',
    noscript: 'noframes',
    iframe: 'x-iframe',
    frameset: 'x-frameset',
    fencedframe: 'x-fencedframe',
    portal: 'x-portal',
    object: 'x-object',
    applet: 'x-applet',
  }

  /**
   * Renames the banned elements of a text. A parser starts an element at `<` and the literal name, in whatever state it is, so nothing that
   * the parser would see as one of them remains. Without scripts, nothing else makes an element.
   */
  const tags = new RegExp(`<(/?)(${Object.keys(banned).join('|')})(?![^\\s/>])`, 'gi')
  const withoutBanned = (html: string): string =>
    html.replace(tags, (_, slash: string, name: string) => `<${slash}${banned[name.toLowerCase()]}`)

  /**
   * The document with its policy before everything else. A doctype of its own stays first. Without the base, a link to a place in the document
   * would lead to our address.
   */
  const documentOf = (html: string): string => {
    const cleaned = withoutBanned(html)
    const doctype = /^\s*<!doctype[^>]*>/i.exec(cleaned)?.[0] ?? ''
    const policy = '<meta http-equiv="Content-Security-Policy" content="script-src \'none\'">'
    return `${doctype || '<!doctype html>'}<meta charset="utf-8"><base href="about:srcdoc">${policy}${cleaned.slice(doctype.length)}`
  }

  /** The frame that is loading. It replaces the one before when it has loaded, so that growing documents don't flicker. */
  let coming: HTMLIFrameElement | null = null

  const showDocument = (html: string): void => {
    coming?.remove()
    const frame = document.createElement('iframe')
    coming = frame
    frame.setAttribute('sandbox', '')
    frame.setAttribute('referrerpolicy', 'no-referrer')
    frame.title = 'Preview'
    frame.dataset.loading = ''
    frame.addEventListener('load', () => {
      // A link was clicked. Its navigation was blocked, and an error page has replaced the document.
      if (coming === null) showDocument(html)
      if (coming !== frame) return
      coming = null
      for (const other of [...document.body.children]) if (other !== frame) other.remove()
      delete frame.dataset.loading
      say({ type: 'shown' })
    })
    frame.srcdoc = documentOf(html)
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
    else showDocument(data.text)
  })
  say({ type: 'ready' })
}

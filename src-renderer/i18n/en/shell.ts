export const shell = {
  rooms: {
    label: 'Rooms',
    chat: 'Chat',
    speech: 'Speech',
    transcribe: 'Transcribe',
    images: 'Images',
    usage: 'Usage',
    keys: 'Keys',
    proxy: 'Proxy',
    settings: 'Settings',
  },
  list: 'List',
  status: {
    label: 'Status',
    opening: 'Opening…',
    lost: 'Link to the program lost. Reconnecting…',
    lostLong: 'The window has lost its link to Inference Studio. What you see is as of then; it comes back by itself.',
    unauthorized: 'This page is not let in',
    unauthorizedTitle: 'This page has not been let in',
    unauthorizedAbout:
      'Inference Studio was started again, or this address lacks its token. Open the address that the program printed when it started.',
    none: 'Not connected',
    checking: 'Checking {{name}}…',
    connected: 'Connected · {{name}}',
    failed: '{{name}}: {{title}}',
    proxyOff: 'Proxy off',
    proxyWaiting: 'Proxy waits for a connection',
    proxyFailed: 'Proxy: {{title}}',
    proxyTools_one: '{{count}} tool',
    proxyTools_other: '{{count}} tools',
    proxyActive: '{{count}} active',
    requests: 'requests',
    used: '{{used}} / {{limit}}',
    usedLabel: 'Requests used this minute',
    remainingOnly: '{{remaining}} left this minute',
    resets: 'resets in {{seconds}} s',
    banned: 'Requests blocked by the service',
    bannedUntil: 'Requests blocked by the service until {{until}}',
  },
  welcome: {
    title: 'Welcome to Inference Studio',
    lead: 'Talk to models, and lend them safely to your tools. Two ways to begin.',
    sandbox: {
      title: 'Try the sandbox',
      about: 'The whole service, on this machine: no account, no network, no cost. It never pretends to be a model.',
      button: 'Try the sandbox',
      starting: 'Starting the sandbox…',
      asking: 'Sending a first message…',
    },
    connect: {
      title: 'Connect',
      about:
        'Use your own service: its address and a key. The key stays out of this page, out of logs and out of the database.',
      button: 'Connect',
      back: 'Back',
    },
    example: 'Hello! Show me what a reply looks like here.',
  },
  planned: {
    today: 'What you can do today',
    speech: {
      title: 'Text, spoken',
      about:
        'This room will read text aloud in six voices, count its bytes against the limit of 4,096, play while the sound arrives and keep every take for listening offline.',
      today:
        'The local address already speaks: any tool that posts to /v1/audio/speech through the proxy gets its audio.',
    },
    transcribe: {
      title: 'Speech, written down',
      about:
        'This room will record with a live waveform or take files, and give text, or timed text where a click seeks in the sound.',
      today:
        'Tools can send files to /v1/audio/transcriptions through the proxy; they are streamed, whatever their size.',
    },
    images: {
      title: 'Pictures from words',
      about:
        'This room will draw one to four pictures from a prompt and keep them in a gallery with their prompt, date and cost.',
      today:
        'Tools can ask /v1/images/generations through the proxy; picture addresses that come back are served through it too.',
    },
    usage: {
      title: 'What it all costs',
      about:
        'This room will show spend, tokens and requests over time: what this machine measured beside what the service reports, with the difference explained.',
      today: 'The requests left in this minute stand in the status bar, as the service last reported them.',
    },
    keys: {
      title: 'The keys of your account',
      about:
        'This room will list your account’s keys with their limits, balances and use. A key’s secret is never shown: the service never returns it.',
      today: 'The key in use can be tested or changed in Settings. Keys for your own tools are made in Proxy.',
    },
    toProxy: 'Open Proxy',
    toSettings: 'Open Settings',
  },
}

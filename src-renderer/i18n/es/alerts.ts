/** Texts of alerts. Each crossing of a threshold creates one alert. */
export const alerts = {
  title: 'Alertas',
  bell_one: '{{count}} alerta',
  bell_many: '{{count}} de alertas',
  bell_other: '{{count}} alertas',
  bellNone: 'Sin alertas',
  news: 'Alerta: {{title}}',
  empty: 'Sin alertas',
  emptyAbout: 'Aquí aparecen las alertas sobre el saldo, los presupuestos, los límites y tu clave de API.',
  dismiss: 'Ocultar: {{title}}',
  dismissAll: 'Ocultar todas',
  setUp: 'Configurar alertas',
  ended: 'terminó: {{at}}',
  failed: 'Error: {{message}}',
  go: {
    usage: 'Abrir Uso',
    limits: 'Abrir Límites',
    session: 'Abrir la sesión',
    keys: 'Abrir Claves',
    proxy: 'Abrir API local',
    settings: 'Abrir Conexiones',
  },
  balance: {
    title: 'Saldo por debajo de {{below}} SC',
    body: 'Quedan {{balance}} SC en la cuenta. Actualizado: {{at}}.',
  },
  spend: {
    title: 'Más de {{above}} SC gastados en un día',
    service: '{{spent}} SC el {{day}} (UTC), según el servicio.',
    here: '{{spent}} SC el {{day}} (UTC), según este equipo.',
  },
  budget: {
    near: '{{app}}: presupuesto casi agotado',
    short: '{{app}}: el presupuesto no alcanza para otra solicitud',
    usedUp: '{{app}}: presupuesto agotado',
    day: '{{spent}} de {{budget}} SC al día.',
    month: '{{spent}} de {{budget}} SC al mes.',
    total: '{{spent}} de {{budget}} SC en total.',
    refused: 'Las solicitudes de esta app se rechazan.',
    asks: 'Las nuevas solicitudes de esta app esperan tu respuesta.',
    tooSmall: 'Se rechazó una solicitud, porque puede costar más de lo que queda.',
    usual: 'Quedan {{left}} SC. Su solicitud habitual cuesta {{usual}} SC est.',
  },
  busy: {
    title: '{{app}} tiene mucha actividad',
    body_one: '{{count}} solicitud y {{spent}} SC en la última hora.',
    body_many: '{{count}} de solicitudes y {{spent}} SC en la última hora.',
    body_other: '{{count}} solicitudes y {{spent}} SC en la última hora.',
  },
  tokens: {
    title: '{{app}}: límite de tokens demasiado bajo',
    body_one:
      'Su solicitud habitual usa {{count}} token, y su límite es de {{limit}} por minuto. Esas solicitudes se rechazan.',
    body_many:
      'Su solicitud habitual usa {{count}} de tokens, y su límite es de {{limit}} por minuto. Esas solicitudes se rechazan.',
    body_other:
      'Su solicitud habitual usa {{count}} tokens, y su límite es de {{limit}} por minuto. Esas solicitudes se rechazan.',
  },
  app: {
    paused: '{{app}} está en pausa',
    expired: 'La clave de {{app}} ha caducado',
    body: 'Se rechazó una solicitud de esta app.',
  },
  cache: {
    title_one: '{{app}} perdió la caché en {{count}} turno',
    title_many: '{{app}} perdió la caché en {{count}} de turnos seguidos',
    title_other: '{{app}} perdió la caché en {{count}} turnos seguidos',
    body_one: '{{count}} token de su última solicitud no vino de la caché, lo que costó {{cost}} SC más. {{advice}}',
    body_many:
      '{{count}} de tokens de su última solicitud no vinieron de la caché, lo que costó {{cost}} SC más. {{advice}}',
    body_other:
      '{{count}} tokens de su última solicitud no vinieron de la caché, lo que costó {{cost}} SC más. {{advice}}',
    bodyUnpriced_one: '{{count}} token de su última solicitud no vino de la caché. {{advice}}',
    bodyUnpriced_many: '{{count}} de tokens de su última solicitud no vinieron de la caché. {{advice}}',
    bodyUnpriced_other: '{{count}} tokens de su última solicitud no vinieron de la caché. {{advice}}',
  },
  key: {
    low: {
      title: 'A la clave de API le queda poco saldo',
      body: 'Quedan {{left}} de {{limit}} SC. Con 0 SC, el servicio rechaza sus solicitudes.',
    },
    empty: {
      title: 'El saldo de la clave de API está agotado',
      body: 'El servicio rechaza las solicitudes de pago hasta que añadas créditos a la clave.',
    },
    revoked: {
      title: 'La clave de API se revocó',
      body: 'El servicio la rechazará. Introduce otra clave en Ajustes.',
    },
    refused: {
      title: 'El servicio rechazó la clave de API',
      body: 'El servicio respondió 401. Comprueba la clave en Ajustes.',
    },
    credits: { title: 'Créditos agotados', body: 'El servicio respondió 402. Añade créditos para continuar.' },
    forbidden: {
      title: 'El servicio denegó el acceso',
      body: 'El servicio respondió 403: esta clave no tiene permiso para la solicitud.',
    },
    named: 'Clave: {{name}}',
  },
  ban: {
    title: 'El servicio bloquea las solicitudes',
    until: 'Hasta {{until}}.',
    open: 'El servicio no indica hasta cuándo.',
  },
  settings: {
    balance: 'Saldo por debajo de',
    balanceHint:
      'Saldo de la cuenta que comunica el servicio, en SC, su unidad de crédito. Déjalo vacío para desactivar la alerta.',
    spend: 'Gasto diario superior a',
    spendHint:
      'Por día UTC, en SC: la cifra mayor entre lo que comunica el servicio y lo que cuenta este equipo. Déjalo vacío para desactivar la alerta.',
    unit: 'SC',
    amountBad: 'Introduce una cantidad mayor que 0, como 2,50.',
    budgets: 'Apps',
    budgetsHint:
      'Cuando una app se acerca a su presupuesto o lo ha agotado, cuando un límite es demasiado bajo para su solicitud habitual y cuando una app en pausa o caducada envía una solicitud.',
    budgetAt: 'Cerca del presupuesto, %',
    budgetAtHint: 'Avisar cuando se haya gastado esta parte de un presupuesto: de 1 a 99.',
    budgetAtBad: 'Introduce un número entero de 1 a 99.',
    key: 'Clave de API',
    keyHint: 'Cuando a la clave le queda poco saldo, o se revoca o se rechaza.',
    ban: 'Bloqueo del servicio',
    banHint: 'Cuando el servicio bloquea tus solicitudes durante un tiempo. La alerta indica hasta cuándo.',
    cache: 'Caché perdida',
    cacheHint:
      'Cuando una app pierde la caché del servicio en tres turnos seguidos, de modo que sus solicitudes cuestan más.',
    notify: 'Notificaciones del sistema',
    notifyHint: 'Contienen cifras y nombres de apps y modelos, nunca una clave ni un mensaje.',
    browser: 'Notificaciones del navegador',
    browserHint:
      'Se muestran mientras esta página está abierta. Contienen cifras y nombres de apps y modelos, nunca una clave ni un mensaje.',
    browserDenied: 'El navegador bloquea las notificaciones de esta página. Permítelas en la barra de direcciones.',
    browserMissing: 'Este navegador no admite notificaciones.',
    try: 'Enviar una prueba',
    notifyFailed: 'La notificación de prueba no se mostró. {{reason}}',
    tried: 'Esto es una alerta de prueba.',
    notShown: 'No se pudo mostrar la notificación.',
  },
}

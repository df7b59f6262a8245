/** The responses of compatible interfaces: the clients that exist for them know the bodies. */
export const answered = { 200: { description: 'As the client expects it.' } };
export const created = { 201: { description: 'Created.' } };

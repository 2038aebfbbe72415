const colors = { red: '#f00', blue: '#00f' } as const;

const options = { depth: 2 } satisfies Options;

export const sizes = { small: 1, large: 2 } as const;

export const limits = { pages: 20 } satisfies Limits;

export default { name: 'app' } satisfies App;

class Users {
  constructor(private http: Http, readonly root: string, retries = 3) {
    this.start(retries);
  }
}

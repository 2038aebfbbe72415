export function Page({ items }) {
  return (
    <main>
      <Head />
      <ul>
        {items.map((item) => <li key={item}>{item}</li>)}
      </ul>
    </main>
  );
}

export const List = () => {
  return (
    <main>
      <h1>{title}</h1>
      <ul></ul>
    </main>
  );
};

<Body>text</Body> and <i>more</i></div>;
}

const A = () => (
	<div>
		<p>one</p>
	</div>
);

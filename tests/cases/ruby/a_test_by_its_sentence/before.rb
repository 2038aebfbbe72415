RSpec.describe Cart do
  it "adds" do
    expect(1).to eq(1)
  end
end

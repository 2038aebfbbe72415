class Dates
{
    /////////////////////

    /// <summary>What follows reads.</summary>

    /// <summary>Reads one.</summary>
    /// <returns>It.</returns>
    int Read() => 1;

    int Write() => 2;
}
